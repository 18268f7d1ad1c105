package dev.headroom.validation.published;

import dev.headroom.device.DeviceLines;
import dev.headroom.device.GpuCatalogue;
import dev.headroom.graph.DType;
import dev.headroom.predict.Prediction;
import dev.headroom.training.LossKind;
import dev.headroom.training.TrainingRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * P5: weights, gradients and Adam's state dominate and activations are small, so that checkpointing does not help (2019).
 * What nvidia-smi shows besides reserved memory, CUDA's context of that time and a desktop, is taken from the row with the
 * smallest workspaces, 100 passes over one image each, and is the same for the other rows of the card.
 */
public final class LargeHeads {
    private static final double MIB = 1 << 20;
    private static final String WORKSPACES = "workspaces of cuDNN 7 at batch 100";

    /** A model on a card, and what nvidia-smi showed in MiB. */
    private record Case(String archive, String gpu, double accumulated, Double plain, double half) {}

    private static final List<Case> CASES = List.of(
            new Case("cnn-small", "rtx-2080-super", 1097, 1317.0, 987),
            new Case("cnn-full", "v100-32gb", 32_027, null, 16_943));

    private static final Consumer<TrainingRun> HALF = run -> run.dtype = DType.FLOAT16;
    private static final Consumer<TrainingRun> CHECKPOINTED = run -> {
        run.checkpointModules = List.of("body");
        run.inputGrad = true;
    };

    private LargeHeads() {}

    /** All figures. */
    public static List<Figure> figures() {
        List<Figure> out = new ArrayList<>();
        for (Case c : CASES) {
            double besides = besides(c);
            if (c.plain != null) {
                double plain = besides + reserved(c, run -> {});
                out.add(new Figure("P5", c.archive + ", nvidia-smi", plain, c.plain, WORKSPACES));
            }
            double half = besides + reserved(c, HALF);
            out.add(new Figure("P5", c.archive + " in fp16, nvidia-smi", half, c.half, WORKSPACES));
        }
        return out;
    }

    /** MiB that nvidia-smi shows besides reserved memory. */
    private static double besides(Case c) {
        return c.accumulated
                - reserved(c, run -> {
                    run.batch = 1L;
                    run.accumulate = 100;
                });
    }

    /**
     * The full model in fp32 on its card, which failed.
     *
     * @param workspaces whether as much is taken besides as the same batch in fp16 took beyond its prediction on that card:
     *     the workspaces of its convolutions, which fp32 does not make smaller
     */
    public static Prediction full(boolean workspaces, boolean checkpointed) {
        Case c = CASES.get(1);
        double besides = besides(c);
        double taken = workspaces ? c.half - reserved(c, HALF) : besides;
        long context = DeviceLines.bytes(DeviceLines.of(GpuCatalogue.find(c.gpu).orElseThrow(), false, true));
        return Runs.predict(Runs.request(c.archive, c.gpu, null, Math.round(taken * MIB) - context, run -> {
            options(run);
            if (checkpointed) {
                CHECKPOINTED.accept(run);
            }
        }));
    }

    /** Why the plain full model fails, and what would not help. */
    static List<String> remarks() {
        Case c = CASES.get(1);
        double plain = besides(c) + reserved(c, run -> {});
        double card = GpuCatalogue.find(c.gpu).orElseThrow().memory() / MIB;
        double beyond = c.half - besides(c) - reserved(c, HALF);
        return List.of(String.format(
                Locale.ROOT,
                "P5: the full model is predicted to show %.0f MiB of the card's %.0f without workspaces of cuDNN 7: %.0f MiB"
                        + " are left. In fp16 the same batch took %.0f MiB more than predicted; with as much the plain run"
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
        double plain = allocated(c, run -> {});
        double checkpointed = allocated(c, CHECKPOINTED);
        return (plain - checkpointed) / plain;
    }

    private static double reserved(Case c, Consumer<TrainingRun> options) {
        return peak(c, options).reserved() / MIB;
    }

    private static double allocated(Case c, Consumer<TrainingRun> options) {
        return peak(c, options).allocated() / MIB;
    }

    private static Prediction.Peak peak(Case c, Consumer<TrainingRun> more) {
        return Runs.predict(Runs.request(c.archive, c.gpu, 1L << 36, 0, run -> {
                    options(run);
                    more.accept(run);
                }))
                .peak();
    }

    private static void options(TrainingRun run) {
        run.torch = "1.0";
        run.batch = 100L;
        run.loss = LossKind.MSE;
    }
}
