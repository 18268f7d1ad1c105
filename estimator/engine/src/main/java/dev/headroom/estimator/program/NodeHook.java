package dev.headroom.estimator.program;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.Map;
import java.util.function.Supplier;

/** What a regime does around the operators of a graph. */
public interface NodeHook {
    /**
     * The node that runs in a node's place: the program may have other sizes here than when it was exported.
     *
     * @param graph that the node is of
     * @param values that there are, by name
     */
    Node localized(Graph graph, Node node, Map<String, Tensor> values);

    /**
     * Runs an operator.
     *
     * @param own its rule
     * @return its results, local variables of the running frame
     */
    Tensor[] around(Call call, Supplier<Tensor[]> own);
}
