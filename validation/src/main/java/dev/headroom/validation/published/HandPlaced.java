package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ScenarioSettings.CONVERTS_ON_DEVICE;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/**
 * P2 and P3: the perceptron of {@link Perceptron} with checkpoints placed by hand around blocks of its layers, in fp32
 * and in fp16 (2020). The smaller blocks share layers: of the eight equal ones, one or three are there and applied
 * several times. Memory is least with blocks of two layers; three blocks take more than two because the second holds
 * seven of the large ones.
 */
public final class HandPlaced {
    /** Published MiB: allocated after the run, max allocated, nvidia-smi. */
    private record Row(double after, double max, double smi) {}

    private record Case(String archive, String title, Row single, Row half) {}

    private static final List<Case> CASES = List.of(
            new Case("two", "two blocks", new Row(148, 6033, 7212), new Row(75, 3015, 4054)),
            new Case("three", "three blocks", new Row(145, 6642, 7908), new Row(74, 3318, 4414)),
            new Case("every-other", "every other", new Row(83, 3715, 5408), new Row(42, 1856, 2954)),
            new Case("every", "every", new Row(38, 4892, 6170), new Row(18, 2443, 3530)));

    private HandPlaced() {}

    private static Prediction predict(String archive, boolean half) {
        return Runs.predict(Perceptron.request("published/perceptron-" + archive, run -> {
            Scenario placed =
                    run.with(INPUT_GRAD, true).withCheckpointing(new Checkpointing(0, List.of("blocks.*"), true));
            return half ? placed.with(DTYPE, DType.FLOAT16).with(CONVERTS_ON_DEVICE, true) : placed;
        }));
    }

    /** All figures. */
    public static List<Figure> figures() {
        List<Figure> out = new ArrayList<>();
        for (boolean half : new boolean[] {false, true}) {
            for (Case c : CASES) {
                Row row = half ? c.half : c.single;
                out.addAll(Perceptron.figures(
                        half ? "P3" : "P2",
                        c.title + (half ? " in fp16" : ""),
                        predict(c.archive, half),
                        row.after,
                        row.max,
                        row.smi));
            }
        }
        return out;
    }
}
