package dev.headroom.advisor.checkpoints;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.SavedTensorHooks;
import dev.headroom.estimator.runtime.Tensor;

/**
 * Hooks that keep every saved tensor as it is. What hooks hand out ends with the node's function, a little before what
 * nodes keep themselves; checkpoints are made of hooks, so that no plan needs less memory in a stage's backward pass
 * than a run under these does.
 */
record PassThroughHooks(EagerRuntime runtime) implements SavedTensorHooks {
    @Override
    public Packed pack(Tensor t) {
        Tensor held = runtime.tape().saveDetached(t);
        return new Packed() {
            private Tensor kept = held;

            @Override
            public Tensor unpack() {
                Tensor out = kept;
                kept = null;
                return out;
            }

            @Override
            public void release() {
                if (kept != null) {
                    runtime.tape().releaseSaved(kept);
                    kept = null;
                }
            }
        };
    }
}
