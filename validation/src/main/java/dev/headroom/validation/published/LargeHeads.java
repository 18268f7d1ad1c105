package dev.headroom.validation.published;

import dev.headroom.graph.DType;
import dev.headroom.training.LossKind;
import dev.headroom.training.TrainingRun;
import java.util.ArrayList;
import java.util.List;
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

    private LargeHeads() {}

    /** All figures. */
    public static List<Figure> figures() {
        List<Figure> out = new ArrayList<>();
        for (Case c : CASES) {
            double besides = c.accumulated
                    - reserved(c, run -> {
                        run.batch = 1L;
                        run.accumulate = 100;
                    });
            if (c.plain != null) {
                double plain = besides + reserved(c, run -> {});
                out.add(new Figure("P5", c.archive + ", nvidia-smi", plain, c.plain, WORKSPACES));
            }
            double half = besides + reserved(c, run -> run.dtype = DType.FLOAT16);
            out.add(new Figure("P5", c.archive + " in fp16, nvidia-smi", half, c.half, WORKSPACES));
        }
        return out;
    }

    /** Part of the peak of allocated memory that checkpointing the convolutions saves; negative when it costs. */
    public static double savedByCheckpointing() {
        Case c = CASES.get(1);
        double plain = allocated(c, run -> {});
        double checkpointed = allocated(c, run -> {
            run.checkpointModules = List.of("body");
            run.inputGrad = true;
        });
        return (plain - checkpointed) / plain;
    }

    private static double reserved(Case c, Consumer<TrainingRun> options) {
        return peak(c, options).reserved() / MIB;
    }

    private static double allocated(Case c, Consumer<TrainingRun> options) {
        return peak(c, options).allocated() / MIB;
    }

    private static dev.headroom.predict.Prediction.Peak peak(Case c, Consumer<TrainingRun> options) {
        return Runs.predict(Runs.request(c.archive, c.gpu, run -> {
                    run.torch = "1.0";
                    run.batch = 100L;
                    run.loss = LossKind.MSE;
                    options.accept(run);
                }))
                .peak();
    }
}
