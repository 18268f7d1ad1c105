package dev.headroom.model.trainer;

import static java.util.Map.entry;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code optim=} of transformers' {@code TrainingArguments} calls optimizers (5.17, training_args.py,
 * OptimizerNames): one of {@code --optimizer}, or a sentence on what to write in its place. Its {@code adafactor} is
 * transformers' own, which {@code TrainerDefaults} puts in the place of PyTorch's.
 */
public final class OptimNames {
    private static final Map<String, String> OPTIONS = Map.ofEntries(
            entry("sgd", "sgd"),
            entry("rmsprop", "rmsprop"),
            entry("adagrad", "adagrad"),
            entry("ademamix", "ademamix"),
            entry("lomo", "lomo"),
            entry("adalomo", "adalomo"),
            entry("grokadamw", "grokadamw"),
            entry("adamw_torch_4bit", "ao-adamw4bit"),
            entry("adamw_torch_8bit", "ao-adamw8bit"),
            entry("adamw_8bit", "adamw8bit"),
            entry("adamw_bnb_8bit", "adamw8bit"),
            entry("paged_adamw_8bit", "paged-adamw8bit"),
            entry("paged_adamw_32bit", "paged-adamw32bit"),
            entry("ademamix_8bit", "ademamix8bit"),
            entry("paged_ademamix_8bit", "paged-ademamix8bit"),
            entry("paged_ademamix_32bit", "paged-ademamix"),
            entry("lion_8bit", "lion8bit"),
            entry("lion_32bit", "lion32bit"),
            entry("paged_lion_8bit", "paged-lion8bit"),
            entry("paged_lion_32bit", "paged-lion32bit"),
            entry("rmsprop_bnb", "rmsprop32bit"),
            entry("rmsprop_bnb_8bit", "rmsprop8bit"),
            entry("rmsprop_bnb_32bit", "rmsprop32bit"),
            entry("galore_adamw", "galore-adamw"),
            entry("galore_adamw_8bit", "galore-adamw8bit"),
            entry("galore_adafactor", "galore-adafactor"),
            entry("apollo_adamw", "apollo-adamw"),
            entry("schedule_free_adamw", "schedule-free-adamw"),
            entry("schedule_free_radam", "schedule-free-radam"),
            entry("schedule_free_sgd", "schedule-free-sgd"),
            entry("stable_adamw", "stable-adamw"));

    private static final String LAYERWISE = "_layerwise";

    private static final Map<String, String> SENTENCES = Map.of(
            "adamw_torch", "it is `optimizer=adamw` with `foreach=true`",
            "adamw_torch_fused",
                    "it is `optimizer=adamw` with `fused`, which `loop=trainer` and sft take by themselves",
            "adamw_torch_xla", "it belongs to XLA devices, and CUDA's memory is predicted; take adamw",
            "adamw_torch_npu_fused", "it belongs to NPUs, and CUDA's memory is predicted; take adamw with `fused`",
            "adamw_anyprecision", "torchdistx, which it belongs to, is not modelled; adamw is the nearest");

    private OptimNames() {}

    /** The name that {@code --optimizer} has for one of the Trainer's. */
    public static Optional<String> option(String name) {
        return Optional.ofNullable(OPTIONS.get(name));
    }

    /** What to write in the place of a name of the Trainer's that is no optimizer by itself. */
    public static Optional<String> instead(String name) {
        String plain = name.endsWith(LAYERWISE) ? name.substring(0, name.length() - LAYERWISE.length()) : "";
        return OPTIONS.containsKey(plain)
                ? Optional.of("it is `optimizer=" + OPTIONS.get(plain) + "` with `optim_layerwise`")
                : Optional.ofNullable(SENTENCES.get(name));
    }

    /** What the Trainer calls one of {@code --optimizer}, where it has a name for it. */
    public static Optional<String> of(String option) {
        return OPTIONS.entrySet().stream()
                .filter(e -> e.getValue().equals(option))
                .map(Map.Entry::getKey)
                .min(Comparator.comparing(String::length).thenComparing(n -> n));
    }
}
