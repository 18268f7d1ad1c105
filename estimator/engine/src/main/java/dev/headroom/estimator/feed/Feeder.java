package dev.headroom.estimator.feed;

import dev.headroom.estimator.loop.Batch;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.repeat.Beginning;
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
 * Brings a batch for each pass before anything else of the step, the last of an epoch in its own size, and runs a
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

    /** Batches of the usual size once there was another: what was compiled again serves all sizes. */
    private @Nullable PreparedRun later;

    private Feeder(Graph imported, Scenario run) {
        this.imported = imported;
        this.run = run;
    }

    /** What a scenario's loader does around the loop; nothing where one batch serves all steps. */
    public static List<LoopHook> of(Graph imported, Scenario run) {
        return run.feeding().any() && imported.loop() == null ? List.of(new Feeder(imported, run)) : List.of();
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        loader = switch (run.feeding().data()) {
            case LOADER, ONE -> new PlainLoader(to, false);
            case UNPACKED -> new PlainLoader(to, true);
            case PREFETCH -> new PrefetchLoader(to, false);
            case TIMM -> new PrefetchLoader(to, true);
        };
        if (run.feeding().lastBatch() != null) {
            boolean compiles = run.kernels().compile();
            Scenario other = compiles ? run.with(ScenarioSettings.COMPILE_DYNAMIC, true) : run;
            last = Preparation.of(
                    imported, other.with(ScenarioSettings.BATCH, run.feeding().lastBatch()));
            later = compiles ? Preparation.of(imported, other) : null;
        }
    }

    @Override
    public void describe(Beginning to) {
        loader.describe(to);
    }

    /** An epoch's last batch comes in its own size, and none is fetched after it; that of the one before fetches it. */
    @Override
    public boolean differs(int step, int pass) {
        int number = step * run.loop().accumulate() + pass;
        boolean ahead = loader.fetchesAhead();
        boolean ends = endsEpoch(number) && (last != null || ahead);
        return feeds() && (ends || endsEpoch(number + 1) && last != null && ahead);
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

    @Override
    public boolean feeds() {
        return run.feeding().brings();
    }

    private PreparedRun sizes(int pass) {
        if (endsEpoch(pass) && last != null) {
            return last;
        }
        return pass >= passes() && later != null ? later : loop.prepared();
    }

    private boolean endsEpoch(int pass) {
        return (pass + 1) % passes() == 0;
    }

    private int passes() {
        return run.loop().steps() * run.loop().accumulate();
    }

    @Override
    public void end(Moment phase) {
        if (phase.phase() == Phase.MODEL) {
            loader.make();
        }
    }

    @Override
    public void begin(Moment phase) {
        if (phase.phase() == Phase.INPUTS && feeds()) {
            bring(0);
        }
    }

    @Override
    public void between(Moment next) {
        if (next.phase() == Phase.INPUTS && run.feeding().summary()) {
            summarise(sized(SUMMARISED));
        }
        int pass = begun(next);
        if (feeds() && pass > 0) {
            bring(pass);
        }
    }

    /** The number of the pass whose batch comes before a phase, counted through all steps; 0 where none does. */
    private int begun(Moment next) {
        boolean heads = next.phase() == (run.loop().inference() ? Phase.FORWARD : Phase.ZERO_GRAD);
        if (heads) {
            return next.stepNumber() * run.loop().accumulate();
        }
        int micro = next.phase() == Phase.FORWARD && next.micro() != null ? next.micro() : 0;
        return micro > 0 ? next.stepNumber() * run.loop().accumulate() + micro : 0;
    }

    private void bring(int pass) {
        Loader.Step what = new Loader.Step(sizes(pass), endsEpoch(pass) ? null : sizes(pass + 1));
        if (pass % passes() == 0) {
            loader.begin(what);
        } else {
            loader.go(what);
        }
    }
}
