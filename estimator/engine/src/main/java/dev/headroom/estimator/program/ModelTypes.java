package dev.headroom.estimator.program;

import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState;
import dev.headroom.model.scenario.Scenario;
import java.util.Set;
import java.util.stream.Collectors;
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
    /** Layers that autocast runs in its lower type. */
    private static final Set<String> CASTING = Set.of(
            "aten.linear",
            "aten.conv1d",
            "aten.conv2d",
            "aten.conv3d",
            "aten.matmul",
            "aten.addmm",
            "aten.scaled_dot_product_attention");

    public static ModelTypes of(Graph graph, Scenario training) {
        DType archive = archive(graph);
        DType gathered = training.parallel().sharding().paramDtype();
        DType held = weights(graph)
                .map(h -> h.type(training.precision().dtype()))
                .findFirst()
                .orElse(archive);
        DType run = gathered == null ? held : gathered;
        boolean several = weights(graph).anyMatch(h -> h.ownType() != null && h.ownType() != archive);
        DType amp = training.precision().amp();
        return new ModelTypes(archive, run, several || run != archive || amp != null && !castsWhereTraced(graph, amp));
    }

    /** Whether a program was traced under the autocast that it runs under: a layer of its weights makes that type. */
    private static boolean castsWhereTraced(Graph graph, DType amp) {
        Set<String> parameters = graph.inputs().stream()
                .filter(in -> in.kind() == Graph.InputKind.PARAMETER)
                .map(Graph.Input::value)
                .filter(p -> graph.values().containsKey(p) && graph.meta(p).dtype() == DType.FLOAT32)
                .collect(Collectors.toSet());
        return graph.nodes().stream()
                .filter(n ->
                        CASTING.contains(n.operator()) && n.reads().stream().anyMatch(parameters::contains))
                .map(n -> graph.values().get(n.outputs().get(0)))
                .anyMatch(made -> made != null && made.dtype() == amp);
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
