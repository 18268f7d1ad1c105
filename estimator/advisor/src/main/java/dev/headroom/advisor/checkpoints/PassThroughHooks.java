package dev.headroom.advisor.checkpoints;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.runtime.SavedTensorHooks;
import dev.headroom.estimator.runtime.Tape;
import dev.headroom.estimator.runtime.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Hooks that keep every saved tensor as it is. What hooks hand out ends with the node's function, a little before what
 * nodes keep themselves; checkpoints are made of hooks, so that no plan needs less memory in a stage's backward pass
 * than a run under these does.
 */
final class PassThroughHooks implements LoopHook {
    @Override
    public void attach(TrainingLoop loop) {
        Tape tape = loop.runtime().tape();
        tape.setHooks(t -> new Kept(tape, tape.saveDetached(t)));
    }

    private static final class Kept implements SavedTensorHooks.Packed {
        private final Tape tape;
        private @Nullable Tensor kept;

        Kept(Tape tape, Tensor kept) {
            this.tape = tape;
            this.kept = kept;
        }

        @Override
        public @Nullable Tensor unpack() {
            Tensor out = kept;
            kept = null;
            return out;
        }

        @Override
        public void release() {
            if (kept != null) {
                tape.releaseSaved(kept);
                kept = null;
            }
        }
    }
}
