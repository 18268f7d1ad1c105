package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.DType;
import java.util.List;

/** Fewer bits for operators, then for weights too. */
final class PrecisionChanges {
    static final String KIND = "precision";

    /** GPUs compute in bfloat16 from Ampere on. */
    private static final int FIRST_WITH_BFLOAT16 = 8;

    static final List<CatalogueEntry> ENTRIES = List.of(
            CatalogueEntry.of(PrecisionChanges::autocast)
                    .when(s -> s.run().precision().amp() == null)
                    .plannedWhen(s -> isSingle(s) && hasBfloat16(s))
                    // What it would do is worth a sentence on a card that is too old for it, too.
                    .explainedWhen(s -> s.run().precision().dtype() == null
                            || s.run().precision().dtype() == DType.FLOAT32)
                    .explained("amp", "Autocast", Target.OPERATOR_RESULTS),
            CatalogueEntry.of(PrecisionChanges::scaledAutocast)
                    .when(s -> s.run().precision().amp() == null && isSingle(s) && !hasBfloat16(s)),
            CatalogueEntry.of(s -> weights(
                            DType.BFLOAT16,
                            "weights, gradients and optimizer state in bfloat16: an update smaller"
                                    + " than 1/256 of a weight is lost"))
                    .when(s -> isSingle(s) && hasBfloat16(s)),
            CatalogueEntry.of(s -> weights(DType.FLOAT16, "weights in float16"))
                    .when(s -> isSingle(s) && !hasBfloat16(s) && !s.trains()));

    private PrecisionChanges() {}

    /** Whether there are bits to take from a model in float32. */
    private static boolean isSingle(Situation s) {
        DType type = s.run().precision().dtype();
        return type == null ? s.model().singlePrecision() : type == DType.FLOAT32;
    }

    /** Whether card and version compute in it. */
    private static boolean hasBfloat16(Situation s) {
        Gpu gpu = s.run().device().gpu();
        return (gpu == null || gpu.major() >= FIRST_WITH_BFLOAT16) && s.torch().since(1, 10);
    }

    private static Change autocast(Situation s) {
        return Change.free(KIND, "autocast to bfloat16", r -> r.with(AMP, DType.BFLOAT16))
                .withIntrusion(Intrusion.PRECISION)
                .withCode(
                        s.run().trainer().loop().isTrainer()
                                ? List.of("args = TrainingArguments(bf16=True, ...)  # the rest as it is")
                                : List.of(
                                        "with torch.autocast(\"cuda\", dtype=torch.bfloat16):",
                                        "    loss = " + s.model().loss()))
                .withEffect("matrix products and convolutions in bfloat16, with 8 significant bits");
    }

    private static Change scaledAutocast(Situation s) {
        String enter = "with torch.autocast(\"cuda\", dtype=torch.float16):";
        List<String> training = List.of(
                "scaler = torch.amp.GradScaler(\"cuda\")",
                enter,
                "    loss = " + s.model().loss(),
                "scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update()");
        return Change.free(KIND, "autocast to float16", r -> r.with(AMP, DType.FLOAT16))
                .withIntrusion(Intrusion.PRECISION)
                .withCode(s.trains() ? training : List.of(enter, "    outputs = model(inputs)"))
                .withEffect("matrix products and convolutions in float16, with losses scaled against underflow");
    }

    private static Change weights(DType type, String effect) {
        String name = type.torchName();
        return Change.free(KIND, "model in " + name, r -> r.with(DTYPE, type).with(AMP, null))
                .withIntrusion(Intrusion.WEIGHTS)
                .withCode("model = model.to(torch." + name + ")  # and floating-point inputs")
                .withEffect(effect);
    }
}
