package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.program.NodeRuns;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.model.run.Moment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Stretches of a loop, one after another, until one begins as the one before: from then on they are the same. */
final class Repetition {
    private final Supplier<Beginning> beginning;
    private final Supplier<EventLog> log;
    private final Supplier<NodeRuns> runs;

    /** The stretch before, while it may turn out that it is repeated. */
    private @Nullable PlayedStretch last;

    private @Nullable PlayedStretch repeated;

    /** What was repeated before something else came, or would have been. */
    private @Nullable PlayedStretch earlier;

    /**
     * @param beginning describes what a stretch that begins now depends on
     * @param log of what was played
     * @param runs how nodes ran so far
     */
    Repetition(Supplier<Beginning> beginning, Supplier<EventLog> log, Supplier<NodeRuns> runs) {
        this.beginning = beginning;
        this.log = log;
        this.runs = runs;
    }

    /** What is repeated; {@code null} before that is known. */
    @Nullable
    PlayedStretch repeated() {
        return repeated;
    }

    /** A phase is over. */
    void ended(Moment phase) {
        if (last != null) {
            last.ended(phase, log.get().size());
        }
    }

    /** What comes is another stretch than those before and after it. */
    void forget() {
        last = null;
        repeated = null;
        earlier = null;
    }

    /** Something else comes, and then stretches again, which may begin as those before. */
    void pause() {
        earlier = repeated == null ? earlier : repeated;
        last = null;
        repeated = null;
    }

    /** The stretches are over; more of them are to come after something else. */
    void over() {
        if (last != null) {
            compare(true);
        }
    }

    /**
     * Looks whether the stretch that comes begins as the one before, where that may still be of use.
     *
     * @param more whether another one follows
     */
    void compare(boolean more) {
        if (repeated != null || !more && last == null && earlier == null) {
            return;
        }
        Beginning now = beginning.get();
        EventLog events = log.get();
        // All memory has to be in reach: what nobody shows may be let go of at any time.
        boolean complete = now.memory().size() == events.alive();
        if (complete && last != null && last.wouldBeRepeatedFrom(now, events)) {
            last.led(now, events, runs.get());
            repeated = last;
        } else if (complete && earlier != null && earlier.beginsLike(now)) {
            earlier.comesAgain(now);
            repeated = earlier;
        }
        earlier = null;
        last = complete && repeated == null ? new PlayedStretch(now, events, runs.get()) : null;
    }
}
