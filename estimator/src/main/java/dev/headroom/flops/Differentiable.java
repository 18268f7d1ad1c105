package dev.headroom.flops;

import dev.headroom.graph.Argument;
import dev.headroom.graph.Graph;
import dev.headroom.graph.Node;
import dev.headroom.graph.TensorMeta;
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
        for (Node node : graph.nodes()) {
            List<String> reads = node.reads();
            if (!cuts(node) && reads.stream().anyMatch(out::contains)) {
                node.outputs().stream().filter(o -> floating(graph, o)).forEach(out::add);
            }
        }
        return out;
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
