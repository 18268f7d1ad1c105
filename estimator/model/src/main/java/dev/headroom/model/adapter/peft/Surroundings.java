package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import org.jspecify.annotations.Nullable;

/**
 * What of a run decides what layers compute.
 *
 * @param archive the floating-point type that the graph names for the model's own
 * @param model the type that the run gives to all that is floating point; {@code null}: as in the graph
 * @param autocast autocast's type, or {@code null} where it is off
 * @param training whether the model trains
 */
public record Surroundings(
        DType archive, @Nullable DType model, @Nullable DType autocast, boolean training) {
    /** Of a run of a graph. */
    public static Surroundings of(Graph graph, @Nullable DType model, @Nullable DType autocast, boolean training) {
        DType archive = graph.held().tensors().values().stream()
                .filter(h -> h.kind() == Graph.InputKind.PARAMETER)
                .map(h -> h.meta().dtype())
                .filter(DType::isFloatingPoint)
                .findFirst()
                .orElse(DType.FLOAT32);
        return new Surroundings(archive, model, autocast, training);
    }

    /** The type of an adapter that was made in a type. */
    DType adapterType(DType made, AdapterOptions options) {
        return made.isReducedFloat() && options.type() == AdapterOptions.Type.FP32 ? DType.FLOAT32 : made;
    }
}
