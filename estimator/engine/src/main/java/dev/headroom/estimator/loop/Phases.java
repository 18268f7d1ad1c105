package dev.headroom.estimator.loop;

import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The phases of a loop, one after the other, and where it has come to. */
final class Phases {
    private final HookChain hooks;
    private final PhaseListener listener;
    private final Consumer<Moment> ended;
    private Moment moment = Moment.of(Phase.MODEL);

    /** The last phase that had ended before its work was done. */
    private @Nullable Moment early;

    /** @param ended is told last that a phase is over */
    Phases(HookChain hooks, PhaseListener listener, Consumer<Moment> ended) {
        this.hooks = hooks;
        this.listener = listener;
        this.ended = ended;
    }

    /** Where the loop has come to. */
    Moment moment() {
        return moment;
    }

    /** Is somewhere without having run what lies before. */
    void comeTo(Moment next) {
        moment = next;
    }

    /** Runs a phase with all that hooks add to it. */
    void run(Moment next, Runnable work) {
        hooks.each(h -> h.between(next));
        moment = next;
        hooks.each(h -> h.begin(next));
        work.run();
        if (!next.equals(early)) {
            end(next);
        }
    }

    /** Ends the phase that runs, whose work belongs to the next one from here on. */
    void goOn(Moment next) {
        early = moment;
        end(moment);
        moment = next;
    }

    private void end(Moment phase) {
        hooks.each(h -> h.end(phase));
        listener.ended(phase);
        ended.accept(phase);
    }
}
