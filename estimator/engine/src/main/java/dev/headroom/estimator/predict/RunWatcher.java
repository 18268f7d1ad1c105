package dev.headroom.estimator.predict;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.model.run.Moment;

/** Looks on while a run is played, as a snapshot of PyTorch does; what changes a run is a hook of the loop. */
@FunctionalInterface
public interface RunWatcher {
    /**
     * Before anything is allocated.
     *
     * @param allocator to be listened to and read, never asked for memory
     * @param place where the run has come to; may be asked at any later moment
     */
    void begins(CachingAllocator allocator, Place place);

    /** Where a run has come to. */
    interface Place {
        /** The phase that runs. */
        Moment moment();

        /** What runs; the same object as long as that does. */
        Attribution running();
    }
}
