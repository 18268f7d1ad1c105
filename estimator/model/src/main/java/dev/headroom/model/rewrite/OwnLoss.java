package dev.headroom.model.rewrite;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelPackage;
import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Losses that classes of the transformers library wrote by themselves before they called the library's: scores without
 * the last, copied in their own type, and a mean, whatever a Trainer counts (4.48.1, models/gpt_bigcode and others).
 */
final class OwnLoss {
    /** Packages of such classes in 4.48.1; 4.49.0 has none of them. */
    private static final Set<String> MODELS =
            Set.of("stablelm", "gpt2", "gpt_bigcode", "gpt_neox", "opt", "falcon", "bloom");

    private static final String SCORES = "shift_logits = lm_logits[..., :-1, :].contiguous()";
    private static final String LABELS = "shift_labels = labels[..., 1:].contiguous()";
    private static final String MEAN = "loss = loss_fct(shift_logits.view(-1, size), shift_labels.view(-1))";

    private OwnLoss() {}

    /** Whether a model's class had a loss of its own. */
    static boolean isOf(Graph graph) {
        return ModelPackage.of(graph).filter(MODELS::contains).isPresent();
    }

    /** The graph with that loss in the place of the library's. */
    static Graph of(Graph graph, Node loss) {
        Map<String, String> renamed = new HashMap<>();
        List<Node> nodes = new ArrayList<>();
        for (Node n : graph.nodes()) {
            if (!n.stackTrace().equals(loss.stackTrace())) {
                nodes.add(n);
                continue;
            }
            String result = Objects.requireNonNull(n.outputs().get(0));
            switch (n.operator()) {
                case "aten.to" -> {
                    String cut = result + "_cut";
                    Map<String, Long> all = Map.of("dim", 1L, "start", 0L, "end", -1L);
                    String scores = ShiftedScores.read(n, "self");
                    nodes.add(at(SCORES, ShiftedScores.node(n, cut, "aten.slice.Tensor", scores, all)));
                    nodes.add(at(SCORES, ShiftedScores.node(n, result, "aten.contiguous.default", cut, Map.of())));
                }
                case "aten.pad" -> renamed.put(result, ShiftedScores.read(n, "self"));
                case "aten.slice", "aten.contiguous" -> nodes.add(at(LABELS, n.reading(renamed)));
                default -> nodes.add(at(MEAN, n));
            }
        }
        return graph.withNodes(nodes);
    }

    private static Node at(String line, Node n) {
        int last = n.stackTrace().stripTrailing().lastIndexOf('\n') + 1;
        String trace = n.stackTrace().substring(0, last) + "    " + line;
        return n.withStackTrace(trace);
    }
}
