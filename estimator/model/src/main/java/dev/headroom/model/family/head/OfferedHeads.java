package dev.headroom.model.family.head;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.options.ModelOptions.Task;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which heads transformers has for its decoders, by {@code model_type} (the classes at the end of modeling files). */
final class OfferedHeads {
    private static final Set<Task> ALL =
            EnumSet.of(Task.SEQUENCE_CLASSIFICATION, Task.TOKEN_CLASSIFICATION, Task.QUESTION_ANSWERING);
    private static final Set<Task> NO_ANSWERS = EnumSet.of(Task.SEQUENCE_CLASSIFICATION, Task.TOKEN_CLASSIFICATION);
    private static final Set<Task> SEQUENCES = EnumSet.of(Task.SEQUENCE_CLASSIFICATION);
    private static final Set<Task> NO_TAGS = EnumSet.of(Task.SEQUENCE_CLASSIFICATION, Task.QUESTION_ANSWERING);

    /** What differs from {@link #ALL}. */
    private static final Map<String, Set<Task>> FEWER = Map.ofEntries(
            Map.entry("granite", Set.of()),
            Map.entry("llama4_text", Set.of()),
            Map.entry("cohere", Set.of()),
            Map.entry("cohere2", Set.of()),
            Map.entry("gemma", NO_ANSWERS),
            Map.entry("glm", NO_ANSWERS),
            Map.entry("glm4", NO_ANSWERS),
            Map.entry("phi", NO_ANSWERS),
            Map.entry("stablelm", NO_ANSWERS),
            Map.entry("starcoder2", NO_ANSWERS),
            Map.entry("gemma2", NO_ANSWERS),
            Map.entry("gemma3_text", SEQUENCES),
            Map.entry("phi3", NO_ANSWERS),
            Map.entry("olmo", SEQUENCES),
            Map.entry("olmo2", SEQUENCES),
            Map.entry("olmo3", SEQUENCES),
            Map.entry("olmoe", Set.of()),
            Map.entry("gpt_oss", NO_ANSWERS),
            Map.entry("deepseek_v3", NO_ANSWERS),
            Map.entry("gpt_bigcode", NO_ANSWERS),
            Map.entry("gptj", NO_TAGS),
            Map.entry("opt", NO_TAGS),
            Map.entry("mamba", Set.of()),
            Map.entry("mamba2", Set.of()),
            Map.entry("falcon_mamba", Set.of()));

    /** Families whose class that finds answers calls its decoder otherwise than their other classes. */
    private static final Map<String, String> ANSWERS_BASE = Stream.of(
                    "llama",
                    "qwen2",
                    "qwen3",
                    "qwen3_moe",
                    "smollm3",
                    "nemotron",
                    "arcee",
                    "ministral",
                    "seed_oss",
                    "exaone4")
            .collect(Collectors.toMap(Function.identity(), type -> "transformer"));

    /** Families whose configs name a token that means padding unless they say otherwise (configuration files). */
    private static final Set<String> PADDED = Set.of(
            "smollm3",
            "gemma",
            "gemma2",
            "gemma3_text",
            "phi3",
            "glm",
            "glm4",
            "olmo",
            "olmo2",
            "olmo3",
            "seed_oss",
            "opt");

    private OfferedHeads() {}

    /** Whether a config names a token that means padding. */
    static boolean padded(ModelConfig config) {
        return config.names("pad_token_id") ? config.has("pad_token_id") : PADDED.contains(config.modelType());
    }

    /** Refuses a head that the library does not have. */
    static void require(ModelConfig config, Task task) {
        if (task != Task.AUTO && !FEWER.getOrDefault(config.modelType(), ALL).contains(task)) {
            throw new UserInputException(config.source() + ": transformers has no model " + Tasks.end(task)
                    + " of model_type " + config.modelType() + "; choose another `task`");
        }
    }

    /** The name of the decoder's module. */
    static String base(String modelType, Task task, String usual) {
        return task == Task.QUESTION_ANSWERING ? ANSWERS_BASE.getOrDefault(modelType, usual) : usual;
    }
}
