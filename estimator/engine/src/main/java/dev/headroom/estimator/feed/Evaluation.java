package dev.headroom.estimator.feed;

import dev.headroom.estimator.loop.Batch;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.ForwardPass;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.rewrite.ModelMode;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A function of a script that evaluates the model after every step: {@code eval()}, and under {@code no_grad} a forward
 * pass and a loss for each batch. Its names are its own and gone when it returns; those of the training loop stay.
 */
public final class Evaluation implements LoopHook {
    private final Graph imported;
    private final Scenario run;
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private PreparedRun sized;
    private @Nullable ForwardPass forward;
    private @Nullable Batch batch;
    private Tensor[] outputs = {};
    private @Nullable Tensor loss;

    private Evaluation(Graph imported, Scenario run) {
        this.imported = imported;
        this.run = run;
    }

    /** What a scenario evaluates in a script's own loop. */
    public static List<LoopHook> of(Graph imported, Scenario run) {
        boolean asked = run.trainer().evalBatch() != null
                && !run.trainer().loop().isTrainer()
                && !run.loop().inference();
        return asked ? List.of(new Evaluation(imported, run)) : List.of();
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        runtime = to.runtime();
        sized = Preparation.of(
                ModelMode.evaluating(imported),
                run.with(ScenarioSettings.BATCH, run.trainer().evalBatch()));
    }

    @Override
    public void describe(Beginning to) {
        // Whatever it holds is gone when a step begins.
    }

    @Override
    public void stepped(int step) {
        loop.phase(Moment.of(Phase.EVALUATE, step), () -> {
            loop.workOf(Phase.EVALUATE);
            boolean before = runtime.setGradMode(false);
            for (int k = 0; k < run.trainer().evalBatches(); k++) {
                bring();
                judge();
            }
            runtime.setGradMode(before);
            drop();
            for (Tensor t : outputs) {
                runtime.release(t);
            }
            runtime.release(loss);
            outputs = new Tensor[0];
            loss = null;
        });
    }

    private void bring() {
        Batch next = loop.makeBatch(sized);
        loop.load(next);
        drop();
        batch = next;
    }

    private void drop() {
        if (batch != null) {
            batch.drop();
            batch = null;
        }
    }

    private void judge() {
        DType amp = run.precision().amp();
        AutocastMode now = runtime.autocast();
        AutocastMode.State outside = now.enter(amp == null ? now.state() : new AutocastMode.State(true, amp, true));
        if (forward == null) {
            forward = loop.runner(sized);
        }
        Batch given = Objects.requireNonNull(batch);
        Tensor[] made = forward.run(given.values());
        for (Tensor t : outputs) {
            runtime.release(t);
        }
        outputs = made;
        try (Frame frame = runtime.frame()) {
            Tensor value = given.loss(outputs[0], given.target());
            runtime.hold(value);
            runtime.free(value);
            runtime.release(loss);
            loss = value;
        }
        runtime.autocast().exit(outside);
    }
}
