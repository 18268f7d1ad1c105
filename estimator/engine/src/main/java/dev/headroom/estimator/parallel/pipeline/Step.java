package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a schedule does in one step: calls stages, and has memory read after each of their passes. */
final class Step {
    private final TrainingLoop loop;
    private final EagerRuntime runtime;
    private final CollectiveLog log;
    private final Peers peers;
    private final int step;

    /** By microbatch; none where the first stage, or the last, is elsewhere. */
    private final List<Tensor> inputs;

    private final @Nullable Loss loss;
    private final List<Tensor> losses = new ArrayList<>();

    /** What the schedule's loss function gives. */
    @FunctionalInterface
    interface Loss {
        /** A local variable of the running frame, or the output itself. */
        Tensor of(Stage stage, Tensor output, int microbatch);
    }

    /** @param loss {@code null} where the last stage is elsewhere */
    Step(TrainingLoop loop, CollectiveLog log, Peers peers, int step, List<Tensor> inputs, @Nullable Loss loss) {
        this.loop = loop;
        this.runtime = loop.runtime();
        this.log = log;
        this.peers = peers;
        this.step = step;
        this.inputs = inputs;
        this.loss = loss;
    }

    /** Runs a microbatch forward and keeps its loss; returns the output, borrowed. */
    Tensor forward(Stage stage, int microbatch) {
        pause(stage);
        Tensor output = stage.forward(microbatch, stage.isFirst() ? inputs.get(microbatch) : null);
        mark(Phase.FORWARD, microbatch);
        return output;
    }

    /** _maybe_compute_loss. */
    void lossOf(Stage stage, Tensor output, int microbatch) {
        if (stage.isLast()) {
            try (Frame frame = runtime.frame()) {
                losses.add(runtime.hold(Objects.requireNonNull(loss).of(stage, output, microbatch)));
            }
        }
    }

    /** Time passes: what was sent is finished. */
    private void pause(Stage stage) {
        peers.pause();
        if (peers.keepsUp()) {
            stage.pause();
        }
    }

    /**
     * Runs a microbatch backward.
     *
     * @param last whether no other of the stage follows
     */
    void backward(Stage stage, int microbatch, boolean last) {
        pause(stage);
        stage.backward(microbatch, stage.isLast() ? losses.get(microbatch) : null, last);
        mark(Phase.BACKWARD, microbatch);
    }

    /** Computes the gradients of a microbatch's inputs alone. */
    void backwardInput(Stage stage, int microbatch) {
        pause(stage);
        stage.backwardInput(microbatch, stage.isLast() ? losses.get(microbatch) : null);
        mark(Phase.BACKWARD, microbatch);
    }

    /** Computes the gradients of weights that were left out. */
    void backwardWeight(Stage stage, int microbatch, boolean last) {
        pause(stage);
        stage.backwardWeight(microbatch, last);
        mark(Phase.BACKWARD_WEIGHT, microbatch);
    }

    private void mark(Phase phase, int microbatch) {
        log.endPhase();
        loop.mark(new Moment(phase, step, microbatch));
    }

    /** With a reference each, for whoever takes them. */
    List<Tensor> losses() {
        return losses;
    }
}
