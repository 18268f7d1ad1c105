package dev.headroom.model.adapter.peft;

import dev.headroom.model.adapter.OuterModel;
import dev.headroom.model.adapter.peft.graph.Frames;
import dev.headroom.model.adapter.peft.graph.Wrapping;
import dev.headroom.model.adapter.peft.layer.SvdLayer;
import dev.headroom.model.dsl.Arguments;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What AdaLoRA adds to a model's loss: how far the outer factors of each layer are from orthogonal (peft,
 * tuners/adalora/model.py, AdaLoraModel.forward).
 */
final class SvdPenalty {
    private static final String FILE = "peft/model.py";

    /** The call of the model around the model, after the model's own. */
    private static final Node.ModuleCall AROUND = OuterModel.call("adalora", "peft.tuners.adalora.model.AdaLoraModel");

    private final List<Node> nodes = new ArrayList<>();
    private String line = "";
    private int number;

    private SvdPenalty() {}

    /** A graph whose loss has the penalty, or the graph itself where it has no loss. */
    static Graph in(Graph graph, List<Wrapping> layers) {
        List<Graph.Output> outputs = new ArrayList<>(graph.outputs());
        String loss = outputs.isEmpty() ? null : outputs.get(0).value();
        TensorMeta meta = loss == null ? null : graph.values().get(loss);
        if (loss == null || meta == null || !meta.sizes().isEmpty() || layers.isEmpty()) {
            return graph;
        }
        SvdPenalty penalty = new SvdPenalty();
        String sum = penalty.sum(layers);
        penalty.line("outputs.loss += orth_reg_weight * regu_loss");
        String weighed = penalty.op("aten.mul.Tensor", "self", sum, "other", 0.5);
        String total = penalty.op("aten.add_.Tensor", "self", loss, "other", weighed);
        Graph.Output first = outputs.get(0);
        outputs.set(0, new Graph.Output(first.kind(), total, first.target()));
        List<Node> all = new ArrayList<>(graph.nodes());
        all.addAll(penalty.nodes);
        Map<String, TensorMeta> values = new LinkedHashMap<>(graph.values());
        values.put(total, meta);
        return graph.withNodes(all).withOutputs(outputs).withValues(values);
    }

    private String sum(List<Wrapping> layers) {
        String sum = "";
        int count = 0;
        for (Wrapping layer : layers) {
            for (String factor : new String[] {SvdLayer.A, SvdLayer.B}) {
                String p = Wrapping.value(layer.path() + factor);
                boolean rows = factor.equals(SvdLayer.A);
                line("para_cov = p @ p.T");
                String turned = op("aten.t.default", "self", p);
                String product = rows
                        ? op("aten.matmul.default", "self", p, "other", turned)
                        : op("aten.matmul.default", "self", turned, "other", p);
                line("I = torch.eye(*para_cov.size(), out=torch.empty_like(para_cov))");
                String eye = op("aten.empty_like.default", "self", product);
                line("regu_loss += torch.norm(para_cov - I, p=\"fro\")");
                String difference = op("aten.sub.Tensor", "self", product, "other", eye);
                String norm = op("aten.linalg_vector_norm.default", "self", difference, "ord", 2.0);
                sum = sum.isEmpty()
                        ? op("aten.add.Tensor", "self", norm, "other", 0.0)
                        : op("aten.add_.Tensor", "self", sum, "other", norm);
                count++;
            }
        }
        line("regu_loss = regu_loss / num_param");
        return op("aten.div.Tensor", "self", sum, "other", (double) count);
    }

    private void line(String text) {
        number++;
        line = Frames.line(FILE, number, text);
    }

    private String op(String target, Object... arguments) {
        String out = "adalora_penalty" + nodes.size();
        List<Node.NamedArgument> list = new ArrayList<>();
        for (int i = 0; i < arguments.length; i += 2) {
            Object value = arguments[i + 1];
            list.add(new Node.NamedArgument(
                    (String) arguments[i],
                    value instanceof String name ? new Argument.Value(name) : Arguments.of(value)));
        }
        nodes.add(new Node(out, target, list, List.of(out), List.of(AROUND), line));
        return out;
    }
}
