package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT_MODULES;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.model.units.Mib;
import dev.headroom.validation.scores.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * P5: weights, gradients and Adam's state dominate and activations are small, so that checkpointing does not help
 * (2019). What nvidia-smi shows is reserved memory and CUDA's context, which loaded all kernels at once at that time.
 */
public final class LargeHeads {
    private static final String CONTEXT = "the context is an estimate between two other cards";
    private static final String WORKSPACES = CONTEXT + "; workspaces of cuDNN 7 at batch 100";

    /** A model on a card, and what nvidia-smi showed in MiB. */
    private record Case(
            String archive,
            String gpu,
            double accumulated,
            @Nullable Double plain,
            double half) {}

    private static final List<Case> CASES = List.of(
            new Case("cnn-small", "rtx-2080-super", 1097, 1317.0, 987),
            new Case("cnn-full", "v100-32gb", 32_027, null, 16_943));

    private static final UnaryOperator<Scenario> PLAIN = UnaryOperator.identity();
    private static final UnaryOperator<Scenario> PASSES =
            run -> run.with(BATCH, 1L).with(ACCUMULATE, 100);
    private static final UnaryOperator<Scenario> HALF = run -> run.with(DTYPE, DType.FLOAT16);
    private static final UnaryOperator<Scenario> CHECKPOINTED =
            run -> run.with(CHECKPOINT_MODULES, List.of("body")).with(INPUT_GRAD, true);

    private LargeHeads() {}

    /** All figures. */
    public static List<Figure> figures() {
        List<Figure> out = new ArrayList<>();
        for (Case c : CASES) {
            out.add(figure(c, " in 100 passes over one image", peak(c, PASSES), c.accumulated, CONTEXT));
            if (c.plain != null) {
                out.add(figure(c, "", peak(c, PLAIN), c.plain, WORKSPACES));
            }
            out.add(figure(c, " in fp16", peak(c, HALF), c.half, WORKSPACES));
        }
        return out;
    }

    private static Figure figure(Case c, String what, Prediction.Peak peak, double published, String mechanism) {
        return Figure.of("P5", c.archive + what + ", nvidia-smi", Quantity.DEVICE, peak.device(), published, mechanism);
    }

    /**
     * The full model in fp32 on its card, which failed.
     *
     * @param workspaces whether as much is taken besides as the same batch in fp16 took beyond its prediction on that
     *     card: the workspaces of its convolutions, which fp32 does not make smaller, and what of the context is not
     *     predicted
     */
    public static Prediction full(boolean workspaces, boolean checkpointed) {
        Case c = CASES.get(1);
        double taken = workspaces ? c.half - Mib.of(peak(c, HALF).device()) : 0;
        return Runs.predict(Runs.request(c.archive, c.gpu, null, Math.round(taken * Bytes.MIB), run -> {
            Scenario full = options(run);
            return checkpointed ? CHECKPOINTED.apply(full) : full;
        }));
    }

    /** Why the plain full model fails, and what would not help. */
    static List<String> remarks() {
        Case c = CASES.get(1);
        double plain = Mib.of(peak(c, PLAIN).device());
        double card = Mib.of(GpuCatalogue.find(c.gpu).orElseThrow().memory());
        double beyond = c.half - Mib.of(peak(c, HALF).device());
        return List.of(String.format(
                Locale.ROOT,
                "P5: the full model is predicted to show %.0f MiB of the card's %.0f without"
                        + " workspaces of cuDNN 7: %.0f MiB"
                        + " are left. In fp16 the same batch took %.0f MiB more than predicted;"
                        + " with as much the plain run"
                        + " %s, with checkpoints as without: they change allocated memory by %.1f %%.",
                plain,
                card,
                card - plain,
                beyond,
                full(true, false).oom() != null && full(true, true).oom() != null ? "fails" : "gets through",
                100 * Math.abs(savedByCheckpointing())));
    }

    /** Part of the peak of allocated memory that checkpointing the convolutions saves; negative when it costs. */
    public static double savedByCheckpointing() {
        Case c = CASES.get(1);
        double plain = peak(c, PLAIN).allocated();
        return (plain - peak(c, CHECKPOINTED).allocated()) / plain;
    }

    private static Prediction.Peak peak(Case c, UnaryOperator<Scenario> more) {
        return Runs.predict(Runs.request(c.archive, c.gpu, 1L << 36, 0, run -> more.apply(options(run))))
                .peak();
    }

    private static Scenario options(Scenario run) {
        return run.with(TORCH, TorchVersion.of("1.0")).with(BATCH, 100L).with(LOSS, LossKind.MSE);
    }
}
