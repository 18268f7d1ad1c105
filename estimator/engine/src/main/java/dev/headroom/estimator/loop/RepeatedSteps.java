package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.repeat.Renaming;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.LoggedMemory;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.run.Moment;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Plays the steps of a loop. A step that begins as the one before did would do the same, as all that it depends on is
 * in the {@link Beginning}, and the allocator decides only where memory lies. Then the events of the one before are
 * played again, on the allocator and into the log, which takes a fraction of the time that operators do.
 *
 * <p>A request that is refused ends the functions that run, whose memory is given back: that is in no event. Whoever
 * plays the run then has to begin anew with {@link #interpretAll}.
 */
public final class RepeatedSteps {
    private final TrainingLoop loop;
    private final IntConsumer interpreted;
    private final PhaseListener listener;
    private final Consumer<Moment> comesTo;
    private boolean interpretsAll;
    private boolean repeating;
    private int count;
    /** The step before, while it may turn out that it is repeated. */
    private @Nullable PlayedStep last;

    private @Nullable PlayedStep repeated;

    /**
     * @param interpreted plays a step operator by operator
     * @param comesTo sets the loop's moment
     */
    RepeatedSteps(TrainingLoop loop, IntConsumer interpreted, PhaseListener listener, Consumer<Moment> comesTo) {
        this.loop = loop;
        this.interpreted = interpreted;
        this.listener = listener;
        this.comesTo = comesTo;
    }

    /** From now on operators run in every step. */
    public void interpretAll() {
        interpretsAll = true;
    }

    /** Whether the step that runs is played again; what fails then would have failed, but not in this way. */
    public boolean isRepeating() {
        return repeating;
    }

    /** How many steps were played again. */
    public int count() {
        return count;
    }

    /**
     * Plays a step.
     *
     * @param more whether another one follows
     */
    void play(int step, boolean more) {
        // The first step makes the optimizer's state, so that no other begins like it.
        if (repeated == null && step > 0 && (more || last != null) && mayRepeat()) {
            compare(step);
        }
        if (repeated == null) {
            interpreted.accept(step);
        } else {
            repeat(repeated, step);
        }
    }

    /** A phase is over. */
    void ended(Moment phase) {
        if (last != null) {
            last.ended(phase, log().size());
        }
    }

    private boolean mayRepeat() {
        Optimizer optimizer = loop.optimizer();
        return !interpretsAll
                && loop.prepared().scenario().parallel().kind() == ParallelKind.SINGLE
                && !loop.hooks().any(hook -> !hook.forgetsSteps())
                && (optimizer == null || optimizer.showsAll());
    }

    /** Looks whether a step begins as the one before. */
    private void compare(int step) {
        Beginning now = beginning(step);
        // All memory has to be in reach: what nobody shows may be let go of in any step.
        boolean complete = now.memory().size() == log().alive();
        if (complete && last != null && last.wouldBeRepeatedFrom(now, log())) {
            last.led(now, log(), loop.nodeRuns());
            repeated = last;
        }
        last = complete && repeated == null ? new PlayedStep(now, log(), loop.nodeRuns()) : null;
    }

    private Beginning beginning(int step) {
        EagerRuntime runtime = loop.runtime();
        Beginning to = new Beginning(step);
        to.number(runtime.attribution());
        to.number(runtime.streams().current());
        to.flag(runtime.gradMode());
        to.unknownIf(!runtime.modules().isEmpty());
        runtime.devices().describe(to);
        runtime.threads().describe(to);
        runtime.workspaces().describe(to);
        runtime.autocast().describe(to);
        to.constant(loop.unmodelled());
        loop.model().describe(to);
        describe(loop.optimizer(), to);
        to.constant(loop.batch());
        loop.batch().describe(to);
        loop.variables().describe(to);
        loop.passes().describe(to);
        to.complete();
        return to;
    }

    private void describe(@Nullable Optimizer optimizer, Beginning to) {
        for (int i = 0; optimizer != null && i < loop.model().parameters().size(); i++) {
            List<Tensor> state = optimizer.state(i);
            to.parts(state);
            state.forEach(t -> to.unknownIf(!t.isLeaf()));
        }
    }

    private void repeat(PlayedStep then, int step) {
        count++;
        Renaming names = then.names();
        LoggedMemory memory = loop.runtime().devices().memory(0);
        int event = then.firstEvent();
        repeating = true;
        for (int i = 0; i < then.phases(); i++) {
            Moment phase = then.phase(i);
            comesTo.accept(new Moment(phase.phase(), step, phase.micro()));
            memory.again(event, then.end(i), names);
            event = then.end(i);
            listener.ended(loop.moment());
        }
        repeating = false;
        then.happenedAgain(names);
        loop.passes().ranAgain(then.before(), then.after(), names::now);
    }

    private EventLog log() {
        return loop.runtime().devices().memory(0).log();
    }
}
