package dev.headroom.executor.checkpoint;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * What a checkpoint remembers of its forward pass, to run under the same conditions again: autocast and the state of
 * the random numbers ({@code preserve_rng_state}), which is kept in host memory.
 */
final class Surroundings {
    private final Eager eager;
    private final @Nullable DType autocast;
    private final long randomness;

    /** Those of the moment. */
    Surroundings(Eager eager) {
        this.eager = eager;
        this.autocast = eager.autocast().type();
        this.randomness = eager.randomness().state();
    }

    /** Runs the recomputation, with gradients on. */
    void again(Runnable recomputation) {
        long now = eager.randomness().state();
        Owner owner = eager.owner();
        boolean mode = eager.tape().setEnabled(true);
        eager.randomness().restore(randomness);
        eager.autocast().enter(autocast);
        try {
            recomputation.run();
        } finally {
            eager.autocast().exit();
            eager.randomness().restore(now);
            eager.tape().setEnabled(mode);
            eager.own(owner);
        }
    }
}
