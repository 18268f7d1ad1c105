package dev.headroom.estimator.flops;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.scenario.Scenario;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * FLOPs of a graph's operators under given sizes. The loss and the optimizer, which are the loop's, are not among them.
 */
public final class GraphFlops {
    private final Graph graph;
    private final Scenario run;
    private final OperatorFlops[] nodes;
    private final Set<String> differentiable;

    private GraphFlops(Graph graph, Scenario run, OperatorFlops[] nodes, Set<String> differentiable) {
        this.graph = graph;
        this.run = run;
        this.nodes = nodes;
        this.differentiable = differentiable;
    }

    /**
     * Counts.
     *
     * @param run decides which gradients are wanted, and whether attention is fused
     * @param symbols a value for every symbol of the sizes
     * @throws UserInputException where sizes are missing or the number passes 64 bits
     */
    public static GraphFlops of(Graph graph, Scenario run, Map<String, Long> symbols) {
        try {
            Set<String> differentiable = run.loop().inference()
                    ? Set.of()
                    : Differentiable.of(graph, run.loop().inputGrad());
            return new GraphFlops(graph, run, count(graph, run, symbols, differentiable), differentiable);
        } catch (ArithmeticException e) {
            throw new UserInputException(
                    graph.name() + ": more than 2^63 FLOPs under these sizes; check `batch` and `dims`", e);
        }
    }

    private static OperatorFlops[] count(
            Graph graph, Scenario run, Map<String, Long> symbols, Set<String> differentiable) {
        boolean fused = run.kernels().attention() != Scenario.Attention.MATH;
        List<Node> all = graph.nodes();
        OperatorFlops[] out = new OperatorFlops[all.size()];
        for (int i = 0; i < out.length; i++) {
            Node node = all.get(i);
            out[i] = OperatorFlops.of(new CallSizes(graph, node, symbols, differentiable), fused);
            for (Node.NamedArgument a : node.arguments()) {
                // A model that is written in Java says no sizes of what lies in a body: positions, without gradients.
                if (a.value() instanceof Argument.Subgraph body && saysSizes(body.graph())) {
                    Set<String> inside = Differentiable.ofBody(node, body.graph(), differentiable);
                    for (OperatorFlops inner : count(body.graph(), run, symbols, inside)) {
                        out[i] = out[i].plus(inner);
                    }
                }
            }
        }
        return out;
    }

    private static boolean saysSizes(Graph body) {
        return body.nodes().stream()
                .flatMap(n -> n.outputs().stream())
                .allMatch(o -> o == null || body.values().containsKey(o));
    }

    /** Whether a gradient of a value is computed. */
    public boolean isDifferentiable(String value) {
        return differentiable.contains(value);
    }

    /** Of one node's forward pass. */
    public Flops forward(int node) {
        return nodes[node].forward();
    }

    /** Of the gradients of one node. */
    public Flops backward(int node) {
        return nodes[node].backward();
    }

    /** Of the forward pass of a range of nodes. */
    public Flops forward(int from, int to) {
        Flops sum = Flops.NONE;
        for (int i = from; i < to; i++) {
            sum = sum.plus(nodes[i].forward());
        }
        return sum;
    }

    /** Of a training step that recomputes nothing: all its forward and backward passes. */
    public Flops step() {
        Flops sum = Flops.NONE;
        for (OperatorFlops n : nodes) {
            sum = sum.plus(n.forward()).plus(n.backward());
        }
        return sum.times(run.loop().accumulate());
    }

    /** Of forward passes beyond one, when node i ran {@code times.get(i)} times. */
    public Flops beyond(List<Integer> times, int passes) {
        Flops sum = Flops.NONE;
        for (int i = 0; i < nodes.length; i++) {
            sum = sum.plus(nodes[i].forward().times(Math.max(0, times.get(i) - passes)));
        }
        return sum;
    }

    /** Of forward and backward passes by innermost module, in the order of execution. */
    public Map<String, OperatorFlops> byModule() {
        Map<String, OperatorFlops> out = new LinkedHashMap<>();
        for (int i = 0; i < nodes.length; i++) {
            out.merge(graph.nodes().get(i).module(), nodes[i], OperatorFlops::plus);
        }
        return out;
    }
}
