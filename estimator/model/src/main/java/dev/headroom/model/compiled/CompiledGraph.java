package dev.headroom.model.compiled;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A graph that was compiled: one call of it is one node of autograd's graph
 * (torch/_functorch/_aot_autograd/runtime_wrappers.py, {@code CompiledFunction}).
 *
 * @param forward also the only code of a graph that is not trained
 * @param backward takes what forward kept and the gradients of the results; {@code null} without training
 * @param results that the caller gets, which come first in what forward returns; the rest is kept for backward
 * @param gradients one entry an argument of forward: the gradient as traced, {@code null} for none
 * @param trials products that are run padded and as they are while the graph is compiled, in their order
 * @param facts what the whole plan has decided
 * @param weights of arguments that are added to a product, by position: the position of the one that is multiplied
 */
public record CompiledGraph(
        CompiledCode forward,
        @Nullable CompiledCode backward,
        List<@Nullable TensorMeta> results,
        List<@Nullable TensorMeta> gradients,
        List<Product> trials,
        Facts facts,
        Map<Integer, Integer> weights)
        implements Argument.Attachment {
    /** The operator of nodes that call one; its rule plays the code. */
    public static final String OPERATOR = "inductor.call";

    public CompiledGraph {
        trials = List.copyOf(trials);
        weights = Map.copyOf(weights);
        results = Collections.unmodifiableList(new ArrayList<>(results));
        gradients = Collections.unmodifiableList(new ArrayList<>(gradients));
    }

    /** Whether a graph calls compiled ones, as that of a plan does. */
    public static boolean in(Graph graph) {
        return graph.nodes().stream().anyMatch(node -> node.target().equals(OPERATOR));
    }

    /**
     * What a plan has decided of the whole run.
     *
     * @param dtype of the weights; {@code null} for float32, or where the plan does not say it
     * @param amp what autocast lowers to; {@code null} for none
     * @param trains whether there is code for backward
     * @param compilesStep whether the optimizer's step was compiled, too
     * @param cudaGraphs whether the graphs are recorded as CUDA graphs: {@code mode="reduce-overhead"}
     * @param symbolic whether sizes were symbols while the last graph was traced
     */
    public record Facts(
            @Nullable DType dtype,
            @Nullable DType amp,
            boolean trains,
            boolean compilesStep,
            boolean cudaGraphs,
            boolean symbolic) {}
}
