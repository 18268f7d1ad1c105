package dev.headroom.validation.published;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.validation.scores.Quantity;
import java.util.ArrayList;
import java.util.List;

/** P7: attention over GRUs, trained with Adam by PyTorch 0.4 or 1.0 (2018). */
public final class SequenceModel {
    private static final String ENCODER = "46 MiB of the packed encoder under cuDNN 7, whose reserve is not published";

    /** Published MiB: allocated, max allocated, reserved. */
    private record Row(Phase phase, int step, double allocated, double max, double reserved) {}

    private static final List<Row> ROWS = List.of(
            new Row(Phase.ZERO_GRAD, 0, 281, 281, 284),
            new Row(Phase.FORWARD, 0, 2108, 2154, 2178),
            new Row(Phase.LOSS, 0, 2566, 2566, 2635),
            new Row(Phase.BACKWARD, 0, 1020, 3482, 3551),
            new Row(Phase.OPTIMIZER, 0, 1581, 3482, 3551),
            new Row(Phase.ZERO_GRAD, 1, 1581, 3482, 3551),
            new Row(Phase.FORWARD, 1, 2955, 3482, 3552),
            new Row(Phase.LOSS, 1, 3413, 3482, 3552),
            new Row(Phase.BACKWARD, 1, 1581, 4329, 4468),
            new Row(Phase.OPTIMIZER, 1, 1581, 4329, 4468),
            new Row(Phase.OPTIMIZER, 2, 1581, 4329, 4468));

    private SequenceModel() {}

    /** All figures. */
    public static List<Figure> figures() {
        Prediction p = Runs.predict(Runs.request(
                "published/seq2seq-gru-packed-s50",
                "v100-16gb",
                run -> run.with(TORCH, TorchVersion.of("1.0")).with(BATCH, 80L).with(ZERO_GRAD_KEEP, true)));
        List<Figure> out = new ArrayList<>();
        for (Row row : ROWS) {
            PhaseMemory state = p.phases().stream()
                    .filter(s -> s.moment().equals(Moment.of(row.phase, row.step)))
                    .findFirst()
                    .orElseThrow();
            String what = "step " + row.step + " " + row.phase + ", ";
            boolean small = state.maxAllocated() < 300L << 20;
            out.add(Figure.of(
                    "P7",
                    what + "allocated",
                    Quantity.ALLOCATED,
                    state.allocated(),
                    row.allocated,
                    Math.abs(state.allocated() / (double) (1 << 20) - row.allocated) < 2 ? "" : ENCODER));
            out.add(Figure.of(
                    "P7",
                    what + "max allocated",
                    Quantity.ALLOCATED,
                    state.maxAllocated(),
                    row.max,
                    small ? "" : ENCODER));
            out.add(Figure.of(
                    "P7",
                    what + "reserved",
                    Quantity.RESERVED,
                    state.maxReserved(),
                    row.reserved,
                    small ? "" : ENCODER));
        }
        return out;
    }
}
