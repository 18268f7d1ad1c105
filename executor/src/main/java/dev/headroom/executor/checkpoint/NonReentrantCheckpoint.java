package dev.headroom.executor.checkpoint;

import dev.headroom.executor.autograd.SavedTensorHooks;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code checkpoint(…, use_reentrant=False)} (torch/utils/checkpoint.py, _checkpoint_without_reentrant_generator and
 * _CheckpointFrame): the region is recorded as ever, but its nodes keep holders in place of tensors. The first node
 * that asks for its tensor has the region run again; what that saves goes into the holders, one after the other,
 * until all have been seen. Each holder gives its tensor away once. The frame, with its inputs, lives as long as any
 * node has a holder.
 */
public final class NonReentrantCheckpoint implements SavedTensorHooks {
    /** Stands for a saved tensor. */
    private static final class Holder {
        private boolean alive = true;
        private @Nullable Tensor recomputed;
        /** What it gave away, which an operator may ask for again while it has it. */
        private @Nullable Tensor given;
    }

    private final Eager eager;
    private final Body body;
    private final Tensor[] inputs;
    private final Surroundings surroundings;
    private final List<Holder> holders = new ArrayList<>();
    private int references = 1;
    private boolean recomputed;
    private int seen;

    private NonReentrantCheckpoint(Eager eager, Body body, Tensor[] inputs) {
        this.eager = eager;
        this.body = body;
        this.inputs = inputs.clone();
        this.surroundings = new Surroundings(eager);
        for (Tensor t : inputs) {
            eager.hold(t);
        }
    }

    /** Runs a region; inputs and outputs as {@link Body} has them. */
    public static Tensor[] run(Eager eager, Body body, Tensor[] inputs) {
        if (!eager.tape().isEnabled()) {
            return body.run(inputs);
        }
        NonReentrantCheckpoint frame = new NonReentrantCheckpoint(eager, body, inputs);
        SavedTensorHooks before = eager.setHooks(frame);
        try {
            return body.run(inputs);
        } finally {
            eager.setHooks(before);
            frame.release();
        }
    }

    @Override
    public Object pack(Tensor t) {
        Holder holder = new Holder();
        holders.add(holder);
        references++;
        return holder;
    }

    @Override
    public Tensor unpack(Object packed) {
        Holder holder = (Holder) packed;
        if (!recomputed) {
            recompute();
        }
        if (holder.recomputed != null) {
            holder.given = holder.recomputed;
            holder.recomputed = null;
            return eager.adopt(holder.given);
        }
        if (holder.given == null || holder.given.references() == 0) {
            throw new IllegalStateException("a checkpoint's tensor is unpacked a second time");
        }
        return holder.given;
    }

    @Override
    public void release(Object packed) {
        Holder holder = (Holder) packed;
        holder.alive = false;
        Tensor t = holder.recomputed;
        holder.recomputed = null;
        eager.release(t);
        release();
    }

    private void release() {
        if (--references == 0) {
            for (Tensor t : inputs) {
                eager.release(t);
            }
        }
    }

    private void recompute() {
        recomputed = true;
        surroundings.again(() -> {
            SavedTensorHooks before = eager.setHooks(new Recomputation());
            try (Scope s = eager.open()) {
                body.run(inputs);
            } catch (StopRecomputation e) {
                // All is there that will be asked for.
            } finally {
                eager.setHooks(before);
            }
        });
        if (seen != holders.size()) {
            throw new UserInputException("checkpoint: the recomputation saved " + seen
                    + " tensors where the forward pass saved " + holders.size() + ", which PyTorch refuses");
        }
    }

    /** Hooks of the second run ({@code _recomputation_hook}): its own graph keeps the same tensors while it lives. */
    private final class Recomputation implements SavedTensorHooks {
        @Override
        public Object pack(Tensor t) {
            if (seen == holders.size()) {
                throw new UserInputException(
                        "checkpoint: the recomputation saves more tensors than the forward pass did,"
                                + " which PyTorch refuses");
            }
            Holder holder = holders.get(seen++);
            Tensor kept = t.requiresGrad() ? eager.detach(t) : t;
            if (holder.alive) {
                holder.recomputed = eager.hold(kept);
            }
            if (seen == holders.size()) {
                throw new StopRecomputation();
            }
            return eager.hold(kept);
        }

        @Override
        public Tensor unpack(Object packed) {
            return (Tensor) packed;
        }

        @Override
        public void release(Object packed) {
            eager.release((Tensor) packed);
        }
    }
}
