package dev.headroom.estimator.feed;

import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.model.run.PreparedRun;
import org.jspecify.annotations.Nullable;

/** Brings batches to the device. */
interface Loader {
    /**
     * A step that needs its batch.
     *
     * @param sizes its own
     * @param next the next step's of the same epoch; {@code null} where none follows
     */
    record Step(PreparedRun sizes, @Nullable PreparedRun next) {}

    /** The script makes its loader. */
    default void make() {}

    /** Whether a step fetches the next one's batch. */
    default boolean fetchesAhead() {
        return false;
    }

    /** Adds what it remembers from one step to the next. */
    void describe(Beginning to);

    /** Has the batch of an epoch's first step on the device when it returns. */
    void begin(Step step);

    /** Has the batch of a further step on the device when it returns. */
    void go(Step step);
}
