package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.graph.TensorMeta;
import dev.headroom.model.trainer.TransformersVersion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Models that a Trainer calls: it hands them {@code num_items_in_batch}, and the losses of the transformers library
 * then are a sum divided by that number instead of a mean (loss/loss_utils.py, fixed_cross_entropy).
 */
public final class ItemsInBatch {
    /** The input's name. */
    public static final String INPUT = "num_items_in_batch";

    private static final String LOSS = "aten.cross_entropy_loss";
    private static final long SUM = 2;

    /**
     * Classes of transformers with {@code accepts_loss_kwargs = False}, whose losses take no such number. Of Qwen 2-VL
     * only the model inside says so, which the Trainer does not ask.
     */
    private static final Set<String> NOT_TOLD = Set.of(
            "transformers.models.qwen2_5_vl.modeling_qwen2_5_vl.Qwen2_5_VLForConditionalGeneration",
            "transformers.models.qwen3_vl.modeling_qwen3_vl.Qwen3VLForConditionalGeneration",
            "transformers.models.qwen3_vl_moe.modeling_qwen3_vl_moe.Qwen3VLMoeForConditionalGeneration");

    private ItemsInBatch() {}

    /** The graph with the number, on the device as an input; without labels there is none. */
    public static Graph given(Graph graph, TransformersVersion version) {
        if (labels(graph) == null || !version.countsItems() || !isTold(graph)) {
            return graph;
        }
        Map<String, TensorMeta> values = new LinkedHashMap<>(graph.values());
        List<Graph.Input> inputs = new ArrayList<>(graph.inputs());
        if (version.itemsOnDevice()) {
            values.put(INPUT, new TensorMeta(DType.INT64, List.of(), List.of(), SymExpr.of(0), false));
            inputs.add(new Graph.Input(Graph.InputKind.USER, INPUT, INPUT, false));
        }
        Argument number = version.itemsOnDevice() ? new Argument.Value(INPUT) : new Argument.Int(SymExpr.of(1));
        List<Node> nodes = new ArrayList<>();
        for (Node n : graph.nodes()) {
            if (n.operator().equals(FusedLanguageHead.LIGER) && version.itemsOnDevice()) {
                List<Node.NamedArgument> arguments = new ArrayList<>(n.arguments());
                arguments.add(new Node.NamedArgument("items", number));
                nodes.add(n.withArguments(arguments));
            } else if (isLossFunction(n)) {
                String loss = Objects.requireNonNull(n.outputs().get(0));
                String sum = loss + "_sum";
                values.put(sum, graph.meta(loss));
                nodes.add(summing(n, sum));
                nodes.add(divided(n, sum, number, loss));
            } else {
                nodes.add(n);
            }
        }
        return graph.withInputs(inputs).withNodes(nodes).withValues(values);
    }

    /** Whether the Trainer hands the model that number. */
    public static boolean isTold(Graph graph) {
        return graph.nodes().stream()
                .map(Node::moduleStack)
                .filter(stack -> !stack.isEmpty())
                .findFirst()
                .map(stack -> !NOT_TOLD.contains(stack.get(0).type()))
                .orElse(true);
    }

    /** The value of the labels; {@code null} when the model is given none. */
    public static @Nullable String labels(Graph graph) {
        return graph.inputs().stream()
                .filter(in ->
                        in.kind() == Graph.InputKind.USER && in.qualifiedName().equals("labels"))
                .map(Graph.Input::value)
                .findFirst()
                .orElse(null);
    }

    /** A loss that {@code self.loss_function} computes; other lines of models take no such number. */
    public static boolean isLossFunction(Node n) {
        return (n.operator().equals(LOSS) || n.operator().equals(LigerKernels.CROSS_ENTROPY))
                && n.stackTrace().contains("loss_function");
    }

    private static Node summing(Node n, String output) {
        Node summed = n.with("reduction", new Argument.Int(SymExpr.of(SUM)));
        return new Node(
                n.name() + "_sum", n.target(), summed.arguments(), List.of(output), n.moduleStack(), n.stackTrace());
    }

    private static Node divided(Node like, String sum, Argument number, String output) {
        List<Node.NamedArgument> arguments = List.of(
                new Node.NamedArgument("self", new Argument.Value(sum)), new Node.NamedArgument("other", number));
        return like.withTarget("aten.div.Tensor").withArguments(arguments).withOutputs(List.of(output));
    }
}
