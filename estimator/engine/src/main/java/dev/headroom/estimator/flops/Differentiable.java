package dev.headroom.estimator.flops;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which values of a graph a gradient is computed for. */
final class Differentiable {
    private static final Set<String> CUT =
            Set.of("aten.detach", "aten.detach_", "aten.zeros_like", "aten.ones_like", "aten.full_like");

    private Differentiable() {}

    /**
     * Values that depend on a parameter that requires a gradient, or on the input that does.
     *
     * @param inputGradient whether the first floating-point input requires one
     */
    static Set<String> of(Graph graph, boolean inputGradient) {
        Set<String> out = new HashSet<>();
        boolean first = inputGradient;
        for (Graph.Input in : graph.inputs()) {
            TensorMeta meta = graph.values().get(in.value());
            if (meta == null) {
                continue;
            }
            boolean floating = meta.dtype().isFloatingPoint();
            if (in.kind() == Graph.InputKind.USER) {
                if (first && floating) {
                    out.add(in.value());
                    first = false;
                }
            } else if (meta.requiresGrad()) {
                out.add(in.value());
            }
        }
        spread(graph, out);
        return out;
    }

    /**
     * Values of the body that a higher-order operator runs ({@code operator(modes…, body, inputs…)}).
     *
     * @param outside values around it that a gradient is computed for
     */
    static Set<String> ofBody(Node node, Graph body, Set<String> outside) {
        Set<String> out = new HashSet<>();
        if (cuts(node)) {
            return out;
        }
        int next = -1;
        for (Node.NamedArgument a : node.arguments()) {
            if (next >= 0 && next < body.inputs().size()) {
                if (a.value() instanceof Argument.Value v && outside.contains(v.name())) {
                    out.add(body.inputs().get(next).value());
                }
                next++;
            } else if (a.value() instanceof Argument.Subgraph) {
                next = 0;
            }
        }
        spread(body, out);
        return out;
    }

    private static void spread(Graph graph, Set<String> out) {
        for (Node node : graph.nodes()) {
            List<String> reads = node.reads();
            if (!cuts(node) && reads.stream().anyMatch(out::contains)) {
                node.outputs().stream().filter(o -> floating(graph, o)).forEach(out::add);
            }
        }
    }

    private static boolean floating(Graph graph, String value) {
        TensorMeta meta = value == null ? null : graph.values().get(value);
        return meta != null && meta.dtype().isFloatingPoint();
    }

    private static boolean cuts(Node node) {
        boolean noGradients = node.target().endsWith("wrap_with_set_grad_enabled")
                && node.arguments().stream().anyMatch(a -> a.value() instanceof Argument.Bool b && !b.value());
        return noGradients || CUT.contains(node.operator());
    }
}
