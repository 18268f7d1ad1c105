package dev.headroom.estimator.feed;

import dev.headroom.estimator.loop.Batch;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings a batch for each step before anything else of the step, the last of an epoch in its own size, and runs a
 * summary's pass before the first.
 */
public final class Feeder implements LoopHook {
    /** Samples that {@code torchsummary.summary} runs the model on (torchsummary/torchsummary.py). */
    private static final long SUMMARISED = 2;

    private final Graph imported;
    private final Scenario run;
    private TrainingLoop loop;
    private Loader loader;
    private @Nullable PreparedRun last;

    private Feeder(Graph imported, Scenario run) {
        this.imported = imported;
        this.run = run;
    }

    /** What a scenario's loader does around the loop; nothing where one batch serves all steps. */
    public static List<LoopHook> of(Graph imported, Scenario run) {
        boolean idle = run.loop().inference() || !run.feeding().any();
        return idle ? List.of() : List.of(new Feeder(imported, run));
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        loader = run.feeding().prefetch() ? new PrefetchLoader(to) : new PlainLoader(to);
        if (run.feeding().lastBatch() != null) {
            last = sized(run.feeding().lastBatch());
        }
    }

    private PreparedRun sized(long samples) {
        return Preparation.of(imported, run.with(ScenarioSettings.BATCH, samples));
    }

    /** A forward pass alone, over a batch of its own, whose results nobody keeps. */
    private void summarise(PreparedRun sizes) {
        Batch batch = loop.makeBatch(sizes);
        batch.loadInputs();
        for (Tensor out : loop.runner(sizes).run(batch.values())) {
            loop.runtime().release(out);
        }
        batch.keep(List.of(), false);
    }

    private PreparedRun sizes(int step) {
        boolean end = (step + 1) % run.loop().steps() == 0;
        return end && last != null ? last : loop.prepared();
    }

    @Override
    public void end(Moment phase) {
        if (phase.phase() == Phase.MODEL) {
            loader.make();
        }
    }

    @Override
    public void between(Moment next) {
        if (next.phase() == Phase.INPUTS && run.feeding().summary()) {
            summarise(sized(SUMMARISED));
        }
        if (next.phase() == Phase.ZERO_GRAD && run.feeding().brings()) {
            bring(next.step());
        }
    }

    private void bring(int step) {
        int steps = run.loop().steps();
        boolean first = step % steps == 0;
        boolean end = (step + 1) % steps == 0;
        Loader.Step what = new Loader.Step(sizes(step), end ? null : sizes(step + 1));
        if (first) {
            loader.begin(what);
        } else {
            loader.go(what);
        }
    }
}
