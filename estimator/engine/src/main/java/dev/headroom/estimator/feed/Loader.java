package dev.headroom.estimator.feed;

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

    /** Whether what it does for a step depends on its sizes alone, and on nothing that it did before. */
    default boolean forgets() {
        return false;
    }

    /** Has the batch of an epoch's first step on the device when it returns. */
    void begin(Step step);

    /** Has the batch of a further step on the device when it returns. */
    void go(Step step);
}
