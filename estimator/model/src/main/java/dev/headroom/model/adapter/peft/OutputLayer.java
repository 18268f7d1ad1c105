package dev.headroom.model.adapter.peft;

import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.ModelState.HeldTensor;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The layer that peft leaves out of {@code all-linear}: {@code get_output_embeddings()} of a language model, which
 * scores each word that its embedding knows, or the head of a classifier.
 */
final class OutputLayer {
    /** Names of heads (peft, utils/constants.py, SEQ_CLS_HEAD_NAMES). */
    private static final Set<String> HEADS = Set.of("score", "classifier");

    /** Classes of models whose head tells no kind of sequence. */
    private static final List<String> OTHERS = List.of("ForTokenClassification", "ForImageClassification");

    private final Graph graph;
    private final @Nullable List<Long> embedding;

    OutputLayer(Graph graph) {
        this.graph = graph;
        this.embedding = graph.nodes().stream()
                .filter(n -> n.operator().equals("aten.embedding") && !countsItself(n))
                .findFirst()
                .map(n -> sizes(graph.meta(weight(n)).sizes()))
                .orElse(null);
    }

    /** Whether a module is that layer. */
    boolean is(String path) {
        HeldTensor weight = graph.held().tensors().get(path + ".weight");
        boolean scores = weight != null
                && embedding != null
                && sizes(weight.meta().sizes()).get(0).equals(embedding.get(0));
        return scores || HEADS.contains(path) && classifiesSequences();
    }

    /**
     * Other classifiers' heads are linear layers (tuners/tuners_utils.py, _maybe_include_all_linear_layers); peft has
     * no task type for those of images.
     */
    private boolean classifiesSequences() {
        return graph.nodes().stream()
                .findFirst()
                .filter(n -> n.moduleStack().isEmpty()
                        || OTHERS.stream().noneMatch(n.moduleStack().get(0).type()::endsWith))
                .isPresent();
    }

    /** Whether an embedding is of positions that the model counts itself, as in Whisper's encoder. */
    private boolean countsItself(Node embedding) {
        return graph.nodes().stream()
                .filter(n -> n.operator().equals("aten.arange"))
                .anyMatch(n -> n.outputs().contains(embedding.tensor("indices")));
    }

    private static String weight(Node embedding) {
        return Objects.requireNonNull(embedding.tensor("weight"), "weight");
    }

    private static List<Long> sizes(List<SymExpr> sizes) {
        return sizes.stream().map(s -> s.evaluate(Map.of())).toList();
    }
}
