package dev.headroom.estimator.program;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.scenario.Scenario;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The floating-point types of a model's parameters.
 *
 * @param archive in the archive; float32 where it holds none
 * @param run in this run's forward passes: those in which parameters are gathered, where they are sharded in others
 * @param mixed whether values of other types than the archive's occur
 */
public record ModelTypes(DType archive, DType run, boolean mixed) {
    public static ModelTypes of(Graph graph, Scenario training) {
        DType archive = archive(graph);
        DType gathered = training.parallel().sharding().paramDtype();
        DType held = weights(graph)
                .map(h -> h.type(training.precision().dtype()))
                .findFirst()
                .orElse(archive);
        DType run = gathered == null ? held : gathered;
        boolean several = weights(graph).anyMatch(h -> h.ownType() != null && h.ownType() != archive);
        return new ModelTypes(
                archive, run, several || run != archive || training.precision().amp() != null);
    }

    /** Whether a run gives the model another type than its own: else all that it holds stays as it is. */
    public static boolean converts(Graph graph, Scenario training) {
        DType asked = training.precision().dtype();
        return asked != null && asked != archive(graph);
    }

    /** A run in the archive's own types. */
    public static ModelTypes same(Graph graph) {
        DType archive = archive(graph);
        return new ModelTypes(archive, archive, false);
    }

    private static DType archive(Graph graph) {
        return weights(graph).map(h -> h.meta().dtype()).findFirst().orElse(DType.FLOAT32);
    }

    private static Stream<ModelState.HeldTensor> weights(Graph graph) {
        return graph.held().tensors().values().stream()
                .filter(h -> h.kind() == Graph.InputKind.PARAMETER)
                .filter(h -> h.meta().dtype().isFloatingPoint());
    }

    /** The type that a run gives to a tensor of the archive. */
    public static DType under(DType inArchive, @Nullable DType run) {
        return run != null && inArchive.isFloatingPoint() ? run : inArchive;
    }
}
