package dev.headroom.executor.program;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.List;
import java.util.Map;

/**
 * Values of the transformers library that functions return although nobody reads them any more: the weights of eager
 * attention ({@code attn_output, attn_weights = attention_interface(…)}, transformers 5.17, eager_attention_forward in
 * each model's file), which modules whose class ends in Attention hand on, and the hidden states that a model returns
 * beside what its pooler made of them ({@code BaseModelOutputWithPooling}).
 */
final class ReturnedValues {
    private static final String LIBRARY = "transformers.";

    private ReturnedValues() {}

    /** Keeps them with the caller that they end at. */
    static void keep(Graph graph, CallTree tree, Map<String, Local> locals) {
        for (Call call : tree.calls()) {
            if (call.site == null || !call.site.module().type().startsWith(LIBRARY)) {
                continue;
            }
            if (call.site.module().type().endsWith("Pooler")) {
                pooled(graph, call.site, locals);
            }
            for (Call.Statement s : call.statements) {
                if (s.line.names().size() > 1 && s.line.text().contains("attention_interface(")) {
                    weights(graph.nodes(), call, s, locals);
                }
            }
        }
    }

    private static void weights(List<Node> nodes, Call call, Call.Statement s, Map<String, Local> locals) {
        Local weights = null;
        for (int i = s.first(); i <= s.last(); i++) {
            String operator = nodes.get(i).operator();
            Local made = nodes.get(i).outputs().isEmpty()
                    ? null
                    : locals.get(nodes.get(i).outputs().get(0));
            boolean handsOn = operator.equals("aten.dropout") || operator.equals("aten.to");
            boolean ofWeights =
                    handsOn && weights != null && nodes.get(i).reads().contains(weights.name);
            if (operator.equals("aten.softmax") || ofWeights) {
                weights = made;
            }
        }
        if (weights != null) {
            Call holder = call;
            while (holder.site != null
                    && holder.site.module().type().endsWith("Attention")
                    && holder.site.step().statement.line.names().size() > 1) {
                holder = holder.site.parent();
            }
            weights.kept = Math.max(weights.kept, holder.last());
        }
    }

    private static void pooled(Graph graph, Call.Site pooler, Map<String, Local> locals) {
        Call.Site model = pooler.parent().site;
        if (model == null || model.step().statement.line.names().isEmpty()) {
            return;
        }
        for (int i = pooler.step().statement.first(); i <= pooler.step().last(); i++) {
            for (String r : graph.nodes().get(i).reads()) {
                Local v = locals.get(r);
                if (v != null && v.made < pooler.step().statement.first()) {
                    v.kept = Math.max(v.kept, model.parent().last());
                }
            }
        }
    }
}
