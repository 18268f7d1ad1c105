package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.peft.graph.CallSpan;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which modules of a model IA3 adapts, and which of them are feed-forward layers (peft, utils/constants.py,
 * TRANSFORMERS_MODELS_TO_IA3_TARGET_MODULES_MAPPING and …_FEEDFORWARD_MODULES_MAPPING).
 *
 * @param feedForward whose inputs are multiplied, not their results
 */
public record Ia3Targets(List<String> all, String feedForward) {
    private static final Ia3Targets LLAMA = new Ia3Targets(List.of("k_proj", "v_proj", "down_proj"), "down_proj");
    private static final Ia3Targets QWEN = new Ia3Targets(List.of("q_proj", "v_proj", "down_proj"), "down_proj");
    private static final Ia3Targets NEOX = new Ia3Targets(List.of("query_key_value", "dense_4h_to_h"), "dense_4h_to_h");
    private static final Ia3Targets BERT = new Ia3Targets(List.of("key", "value", "output.dense"), "output.dense");

    /** By the packages of the models' classes. */
    private static final Map<String, Ia3Targets> OF_MODELS = Map.ofEntries(
            Map.entry("llama", LLAMA),
            Map.entry("mistral", LLAMA),
            Map.entry("qwen2", QWEN),
            Map.entry("qwen3", QWEN),
            Map.entry("gemma", QWEN),
            Map.entry("gemma2", QWEN),
            Map.entry("gemma3", QWEN),
            Map.entry("gpt_neox", NEOX),
            Map.entry("falcon", NEOX),
            Map.entry("bert", BERT),
            Map.entry("roberta", BERT),
            Map.entry("t5", new Ia3Targets(List.of("k", "v", "wo"), "wo")),
            Map.entry("gpt2", new Ia3Targets(List.of("c_attn", "mlp.c_proj"), "mlp.c_proj")),
            Map.entry("gpt_bigcode", new Ia3Targets(List.of("c_attn", "mlp.c_proj"), "mlp.c_proj")),
            Map.entry("opt", new Ia3Targets(List.of("q_proj", "k_proj", "fc2"), "fc2")),
            Map.entry("phi", new Ia3Targets(List.of("q_proj", "v_proj", "fc2"), "fc2")));

    private static Optional<Ia3Targets> of(Node.ModuleCall root) {
        String[] parts = root.type().split("\\.");
        return parts.length < 3 || !parts[0].equals("transformers")
                ? Optional.empty()
                : Optional.ofNullable(OF_MODELS.get(parts[2]));
    }

    private static UserInputException unknown() {
        return new UserInputException("`ia3`: peft does not know which modules of this model are feed-forward layers,"
                + " and adapts none; pass `lora` instead");
    }

    /** Those of a model. */
    public static List<String> of(Graph graph) {
        return graph.nodes().stream()
                .filter(n -> !n.moduleStack().isEmpty())
                .findFirst()
                .flatMap(n -> of(n.moduleStack().get(0)))
                .orElseThrow(Ia3Targets::unknown)
                .all();
    }

    /** Whether a module is a feed-forward layer. */
    public static boolean feedForward(CallSpan call, String path) {
        return Targets.ends(
                path,
                of(call.nodes().get(0).moduleStack().get(0))
                        .orElseThrow(Ia3Targets::unknown)
                        .feedForward());
    }
}
