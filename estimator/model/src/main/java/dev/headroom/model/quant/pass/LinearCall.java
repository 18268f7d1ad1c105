package dev.headroom.model.quant.pass;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call of a linear layer: the nodes from {@code from} to before {@code to}.
 *
 * @param module path of the layer
 * @param input value that it is given
 * @param weight value of its weight
 * @param bias value of its bias, or {@code null}
 * @param out features
 * @param in features
 * @param turned whether the weight lies the other way around in the model, and so is turned before it is quantised
 */
record LinearCall(
        int from,
        int to,
        String module,
        String input,
        String weight,
        @Nullable String bias,
        long out,
        long in,
        boolean turned) {
    private static final String LINEAR = "torch.nn.modules.linear.Linear";

    /** Transformers' linear layer of GPT-2, whose weight lies the other way around. */
    private static final String TURNED = "transformers.pytorch_utils.Conv1D";

    /**
     * All calls, in order.
     *
     * @param names of parameters by value
     */
    static List<LinearCall> all(Graph graph, Map<String, String> names) {
        List<LinearCall> out = new ArrayList<>();
        for (int i = 0; i < graph.nodes().size(); i++) {
            Node node = graph.nodes().get(i);
            LinearCall call =
                    switch (type(node) + " " + node.operator()) {
                        case LINEAR + " aten.linear" -> linear(graph, i);
                        case TURNED + " aten.addmm" -> turned(graph, i);
                        default -> null;
                    };
            boolean own = call != null && (call.module + ".weight").equals(names.get(call.weight));
            if (call != null && own) {
                out.add(call);
            }
        }
        return out;
    }

    private static String type(Node node) {
        List<Node.ModuleCall> stack = node.moduleStack();
        return stack.isEmpty() ? "" : stack.get(stack.size() - 1).type();
    }

    private static @Nullable LinearCall linear(Graph graph, int at) {
        Node node = graph.nodes().get(at);
        return call(graph, at, at + 1, node.tensor("input"), node.tensor("weight"), node.tensor("bias"), false);
    }

    /** {@code torch.addmm(bias, x.view(-1, in), weight).view(…)}. */
    private static @Nullable LinearCall turned(Graph graph, int at) {
        List<Node> nodes = graph.nodes();
        if (at == 0 || at + 1 >= nodes.size()) {
            return null;
        }
        Node before = nodes.get(at - 1);
        Node after = nodes.get(at + 1);
        boolean views = before.operator().equals("aten.view")
                && after.operator().equals("aten.view")
                && Objects.equals(nodes.get(at).tensor("mat1"), before.outputs().get(0))
                && Objects.equals(after.tensor("self"), nodes.get(at).outputs().get(0));
        Node product = nodes.get(at);
        return views
                ? call(
                        graph,
                        at - 1,
                        at + 2,
                        before.tensor("self"),
                        product.tensor("mat2"),
                        product.tensor("self"),
                        true)
                : null;
    }

    private static @Nullable LinearCall call(
            Graph graph,
            int from,
            int to,
            @Nullable String input,
            @Nullable String weight,
            @Nullable String bias,
            boolean turned) {
        TensorMeta meta = weight == null ? null : graph.values().get(weight);
        if (input == null || weight == null || meta == null || meta.sizes().size() != 2) {
            return null;
        }
        long rows = meta.sizes().get(0).evaluate(Map.of());
        long columns = meta.sizes().get(1).evaluate(Map.of());
        return new LinearCall(
                from,
                to,
                graph.nodes().get(from).module(),
                input,
                weight,
                bias,
                turned ? columns : rows,
                turned ? rows : columns,
                turned);
    }
}
