package dev.headroom.estimator.compile;

import dev.headroom.model.graph.Node;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where Dynamo breaks a model. Models of transformers whose class names no loss that the library knows warn before
 * they compute it, and a call of a logger is not traced (transformers/modeling_utils.py, loss_function;
 * loss/loss_utils.py, LOSS_MAPPING).
 */
final class GraphBreaks {
    private static final String LOSS = "self.loss_function(";
    private static final String LIBRARY = "transformers.";

    /** Names of losses that are found in names of classes. */
    private static final List<String> KNOWN = List.of(
            "ForCausalLM",
            "ForMaskedLM",
            "ForQuestionAnswering",
            "ForSequenceClassification",
            "ForImageClassification",
            "ForVideoClassification",
            "ForTokenClassification",
            "ForSegmentation",
            "ForObjectDetection",
            "ForConditionalGeneration");

    private GraphBreaks() {}

    /** The calls of each graph. */
    static List<List<Node>> parts(List<Node> nodes) {
        for (int i = 1; i < nodes.size(); i++) {
            if (breaks(nodes.get(i))) {
                return List.of(nodes.subList(0, i), nodes.subList(i, nodes.size()));
            }
        }
        return List.of(nodes);
    }

    private static boolean breaks(Node node) {
        if (node.moduleStack().isEmpty()) {
            return false;
        }
        String type = node.moduleStack().get(0).type();
        return type.startsWith(LIBRARY)
                && node.stackTrace().contains(LOSS)
                && KNOWN.stream().noneMatch(type::contains);
    }

    /**
     * What is alive across a break although no later call reads it: the last hidden state, in what the inner model
     * returned.
     */
    static @Nullable String hiddenState(List<Node> part) {
        String inner = null;
        String last = null;
        for (Node node : part) {
            if (node.moduleStack().size() > 1) {
                String path = node.moduleStack().get(1).path();
                inner = inner == null ? path : inner;
                if (path.equals(inner)
                        && !node.outputs().isEmpty()
                        && node.outputs().get(0) != null) {
                    last = node.outputs().get(0);
                }
            }
        }
        return last;
    }

    /** Names that calls read, those of bodies among them. */
    static Set<String> reads(List<Node> nodes) {
        Set<String> out = new LinkedHashSet<>();
        nodes.forEach(n -> out.addAll(n.reads()));
        return out;
    }

    /** Names that calls make. */
    static List<String> makes(List<Node> nodes) {
        List<String> out = new ArrayList<>();
        for (Node n : nodes) {
            n.outputs().stream().filter(o -> o != null).forEach(out::add);
        }
        return out;
    }
}
