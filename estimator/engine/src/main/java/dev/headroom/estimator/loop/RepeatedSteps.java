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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Plays the steps of a loop, the passes of a step, and the turns of loops inside of it. One that begins as the one
 * before did would do the same, as all that it depends on is in the {@link Beginning}, and the allocator decides only
 * where memory lies. Then the events of the one before are played again, on the allocator and into the log, which takes
 * a fraction of the time that operators do.
 *
 * <p>A request that is refused ends the functions that run, whose memory is given back: that is in no event. Whoever
 * plays the run then has to begin anew with {@link #interpretAll}.
 */
public final class RepeatedSteps {
    /** Passes whose beginning is looked at: where these do not begin alike, later ones are not expected to. */
    private static final int COMPARED = 3;

    private final TrainingLoop loop;
    private final IntConsumer interpreted;
    private final PhaseListener listener;
    private final Consumer<Moment> comesTo;
    private final Repetition steps;
    private final Repetition passes;
    private boolean interpretsAll;
    private boolean repeating;
    private int beginnings;
    private int repeatedSteps;
    private int repeatedPasses;
    private int repeatedTurns;

    /** Loops inside of the step, the innermost last. */
    private final List<Repetition> turns = new ArrayList<>();

    /**
     * @param interpreted plays a step operator by operator
     * @param comesTo sets the loop's moment
     */
    RepeatedSteps(TrainingLoop loop, IntConsumer interpreted, PhaseListener listener, Consumer<Moment> comesTo) {
        this.loop = loop;
        this.interpreted = interpreted;
        this.listener = listener;
        this.comesTo = comesTo;
        this.steps = new Repetition(() -> beginning(true), this::log, loop::nodeRuns);
        this.passes = new Repetition(() -> beginning(false), this::log, loop::nodeRuns);
    }

    /** From now on operators run in every step. */
    public void interpretAll() {
        interpretsAll = true;
    }

    /** Whether what runs is played again; what fails then would have failed, but not in this way. */
    public boolean isRepeating() {
        return repeating;
    }

    /** How many steps were played again. */
    public int count() {
        return repeatedSteps;
    }

    /** How many passes were played again, those of steps that were not. */
    public int passes() {
        return repeatedPasses;
    }

    /** How many turns of loops inside of steps were played again, those of steps that were not. */
    public int turns() {
        return repeatedTurns;
    }

    /**
     * Plays the turns of a loop that a hook has inside of a step.
     *
     * @param count how many
     * @param operators plays one, operator by operator
     * @param present the moment of a phase that is played again, by what it was then; asked once a phase, in order
     */
    public void playTurns(int count, Runnable operators, UnaryOperator<Moment> present) {
        Repetition own = new Repetition(() -> beginning(true), this::log, loop::nodeRuns);
        turns.add(own);
        for (int turn = 0; turn < count; turn++) {
            if (turn <= COMPARED && mayRepeatSteps()) {
                own.compare(turn + 1 < count);
            }
            if (own.repeated() == null) {
                operators.run();
            } else {
                repeat(own.repeated(), present);
                repeatedTurns++;
            }
        }
        turns.remove(own);
    }

    /**
     * Plays a step.
     *
     * @param more whether another one follows
     */
    void play(int step, boolean more) {
        // The first step makes the optimizer's state, so that no other begins like it.
        if (differs(step, accumulated() - 1)) {
            steps.forget();
        } else if (step > 0 && mayRepeatSteps()) {
            steps.compare(more);
        }
        if (steps.repeated() == null) {
            passes.pause();
            interpreted.accept(step);
        } else {
            repeat(steps.repeated(), then -> new Moment(then.phase(), step, then.micro()));
            repeatedSteps++;
        }
    }

    /**
     * Plays the passes of a step.
     *
     * @param operators plays one, by its number from 0, operator by operator
     */
    void playPasses(int step, IntConsumer operators) {
        for (int pass = 0; pass < accumulated(); pass++) {
            playPass(step, pass, operators);
        }
        if (mayRepeat()) {
            passes.over();
        }
    }

    private int accumulated() {
        return loop.prepared().scenario().loop().accumulate();
    }

    private void playPass(int step, int pass, IntConsumer operators) {
        // The first pass makes the gradients, so that no other begins like it.
        if (differs(step, pass)) {
            passes.forget();
        } else if (pass > 0 && pass <= COMPARED && mayRepeat()) {
            passes.compare(pass + 1 < accumulated()
                    || step == 0 && loop.prepared().scenario().loop().steps() > 1);
        }
        if (passes.repeated() == null) {
            operators.accept(pass);
        } else {
            repeat(passes.repeated(), then -> new Moment(then.phase(), step, pass));
            repeatedPasses++;
        }
    }

    /** A phase is over. */
    void ended(Moment phase) {
        steps.ended(phase);
        passes.ended(phase);
        turns.forEach(loop -> loop.ended(phase));
    }

    private boolean differs(int step, int pass) {
        return loop.hooks().any(hook -> hook.differs(step, pass));
    }

    private boolean mayRepeat() {
        return !interpretsAll && loop.prepared().scenario().parallel().kind() == ParallelKind.SINGLE;
    }

    /** An optimizer that steps inside of passes hangs on tensors, which tell of it. */
    private boolean mayRepeatSteps() {
        Optimizer optimizer = loop.optimizer();
        return mayRepeat() && (optimizer == null || optimizer.showsAll());
    }

    /** @param steps whether what begins is to look at the optimizer's state, as passes do not */
    private Beginning beginning(boolean steps) {
        EagerRuntime runtime = loop.runtime();
        Beginning to = new Beginning(beginnings++);
        loop.hooks().each(hook -> hook.describe(to));
        if (to.isUnknown()) {
            return to;
        }
        to.number(runtime.allocator().interventions()); // such as empty_cache(), which is no event
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
        to.constant(loop.batch().prepared());
        loop.batch().describe(to);
        loop.variables().describe(to);
        loop.passes().describe(to);
        if (!steps) {
            to.complete();
            to.othersAreInReach();
        }
        describe(loop.optimizer(), to);
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

    private void repeat(PlayedStretch then, UnaryOperator<Moment> present) {
        Renaming names = then.names();
        LoggedMemory memory = loop.runtime().devices().memory(0);
        int event = then.firstEvent();
        repeating = true;
        for (int i = 0; i < then.phases(); i++) {
            Moment phase = present.apply(then.phase(i));
            comesTo.accept(phase);
            memory.again(event, then.end(i), names);
            event = then.end(i);
            listener.ended(phase);
            ended(phase);
        }
        repeating = false;
        then.happenedAgain(names);
        loop.passes().ranAgain(then.before(), then.after(), names::now);
    }

    private EventLog log() {
        return loop.runtime().devices().memory(0).log();
    }
}
