package dev.headroom.model.scenario;

import static java.util.Map.entry;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code optim=} of transformers' {@code TrainingArguments} calls optimizers (5.17, training_args.py,
 * OptimizerNames): an optimizer of the table, or a sentence on what to write in its place. Its {@code adafactor} is
 * transformers' own, which {@code TrainerDefaults} puts in the place of PyTorch's.
 */
public final class OptimNames {
    private static final Map<String, OptimizerKind> KINDS = Map.ofEntries(
            entry("sgd", OptimizerKind.SGD),
            entry("rmsprop", OptimizerKind.RMSPROP),
            entry("adagrad", OptimizerKind.ADAGRAD),
            entry("ademamix", OptimizerKind.ADEMAMIX),
            entry("lomo", OptimizerKind.LOMO),
            entry("adalomo", OptimizerKind.ADALOMO),
            entry("grokadamw", OptimizerKind.GROKADAMW),
            entry("adamw_torch_4bit", OptimizerKind.AO_ADAMW_4BIT),
            entry("adamw_torch_8bit", OptimizerKind.AO_ADAMW_8BIT),
            entry("adamw_8bit", OptimizerKind.ADAMW_8BIT),
            entry("adamw_bnb_8bit", OptimizerKind.ADAMW_8BIT),
            entry("paged_adamw_8bit", OptimizerKind.PAGED_ADAMW_8BIT),
            entry("paged_adamw_32bit", OptimizerKind.PAGED_ADAMW_32BIT),
            entry("ademamix_8bit", OptimizerKind.ADEMAMIX_8BIT),
            entry("paged_ademamix_8bit", OptimizerKind.PAGED_ADEMAMIX_8BIT),
            entry("paged_ademamix_32bit", OptimizerKind.PAGED_ADEMAMIX),
            entry("lion_8bit", OptimizerKind.LION_8BIT),
            entry("lion_32bit", OptimizerKind.LION_32BIT),
            entry("paged_lion_8bit", OptimizerKind.PAGED_LION_8BIT),
            entry("paged_lion_32bit", OptimizerKind.PAGED_LION_32BIT),
            entry("rmsprop_bnb", OptimizerKind.RMSPROP_32BIT),
            entry("rmsprop_bnb_8bit", OptimizerKind.RMSPROP_8BIT),
            entry("rmsprop_bnb_32bit", OptimizerKind.RMSPROP_32BIT),
            entry("galore_adamw", OptimizerKind.GALORE_ADAMW),
            entry("galore_adamw_8bit", OptimizerKind.GALORE_ADAMW_8BIT),
            entry("galore_adafactor", OptimizerKind.GALORE_ADAFACTOR),
            entry("apollo_adamw", OptimizerKind.APOLLO_ADAMW),
            entry("schedule_free_adamw", OptimizerKind.SCHEDULE_FREE_ADAMW),
            entry("schedule_free_radam", OptimizerKind.SCHEDULE_FREE_RADAM),
            entry("schedule_free_sgd", OptimizerKind.SCHEDULE_FREE_SGD),
            entry("stable_adamw", OptimizerKind.STABLE_ADAMW));

    private static final String LAYERWISE = "_layerwise";

    private static final Map<String, String> SENTENCES = Map.of(
            "adamw_torch", "it is `optimizer=adamw` with `foreach=true`",
            "adamw_torch_fused",
                    "it is `optimizer=adamw` with `fused`, which `loop=trainer` and sft take by themselves",
            "adamw_torch_xla", "it belongs to XLA devices, and CUDA's memory is predicted; take adamw",
            "adamw_torch_npu_fused", "it belongs to NPUs, and CUDA's memory is predicted; take adamw with `fused`",
            "adamw_anyprecision", "torchdistx, which it belongs to, is not modelled; adamw is the nearest");

    private OptimNames() {}

    /** The optimizer of a name, be it Headroom's own or the Trainer's. */
    static OptimizerKind read(String text) {
        OptimizerKind known = OptimizerKind.named(text).orElse(KINDS.get(text));
        if (known != null) {
            return known;
        }
        if (SENTENCES.containsKey(text)) {
            throw new BadValue("'" + text + "': " + SENTENCES.get(text));
        }
        if (text.endsWith(LAYERWISE)) {
            OptimizerKind plain = KINDS.get(text.substring(0, text.length() - LAYERWISE.length()));
            if (plain != null) {
                throw new BadValue("'" + text + "': it is `optimizer=" + plain.option() + "` with `optim_layerwise`");
            }
        }
        return ValueFormats.choose(text, List.of(OptimizerKind.values()), OptimizerKind::option);
    }

    /** What the Trainer calls an optimizer, where it has a name of its own for it. */
    public static Optional<String> of(OptimizerKind kind) {
        return KINDS.entrySet().stream()
                .filter(e -> e.getValue() == kind)
                .map(Map.Entry::getKey)
                .min(Comparator.comparing(String::length).thenComparing(n -> n));
    }
}
