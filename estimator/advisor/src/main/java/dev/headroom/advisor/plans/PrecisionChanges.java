package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/** Fewer bits for operators, then for weights too. */
final class PrecisionChanges {
    /** GPUs compute in bfloat16 from Ampere on. */
    private static final int FIRST_WITH_BFLOAT16 = 8;

    private final ModelFacts model;
    private final boolean bfloat16;

    PrecisionChanges(ModelFacts model, Gpu gpu) {
        this.model = model;
        this.bfloat16 = gpu == null || gpu.major() >= FIRST_WITH_BFLOAT16;
    }

    /** Those that take bits from a run in float32. */
    List<Change> of(Scenario run) {
        boolean single = run.precision().dtype() == null
                ? model.singlePrecision()
                : run.precision().dtype() == DType.FLOAT32;
        List<Change> out = new ArrayList<>();
        if (!single) {
            return out;
        }
        boolean brain = bfloat16 && run.torch().since(1, 10);
        if (run.precision().amp() == null) {
            out.add(brain ? autocast() : scaled(run.loop().inference()));
        }
        if (brain) {
            out.add(weights(
                    DType.BFLOAT16,
                    "weights, gradients and optimizer state in bfloat16: an update smaller"
                            + " than 1/256 of a weight is lost"));
        } else if (run.loop().inference()) {
            out.add(weights(DType.FLOAT16, "weights in float16"));
        }
        return out;
    }

    private Change autocast() {
        return new Change(
                "precision",
                "autocast to bfloat16",
                Intrusion.PRECISION,
                Cost.NONE,
                List.of("with torch.autocast(\"cuda\", dtype=torch.bfloat16):", "    loss = " + model.loss()),
                List.of("matrix products and convolutions in bfloat16, with 8 significant bits"),
                r -> r.with(AMP, DType.BFLOAT16));
    }

    private Change scaled(boolean inference) {
        String enter = "with torch.autocast(\"cuda\", dtype=torch.float16):";
        List<String> training = List.of(
                "scaler = torch.amp.GradScaler(\"cuda\")",
                enter,
                "    loss = " + model.loss(),
                "scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update()");
        return new Change(
                "precision",
                "autocast to float16",
                Intrusion.PRECISION,
                Cost.NONE,
                inference ? List.of(enter, "    outputs = model(inputs)") : training,
                List.of("matrix products and convolutions in float16, with losses scaled against underflow"),
                r -> r.with(AMP, DType.FLOAT16));
    }

    private static Change weights(DType type, String effect) {
        return new Change(
                "precision",
                "model in " + type.torchName(),
                Intrusion.WEIGHTS,
                Cost.NONE,
                List.of("model = model.to(torch." + type.torchName() + ")  # and floating-point inputs"),
                List.of(effect),
                r -> r.with(DTYPE, type).with(AMP, null));
    }
}
