package dev.headroom.executor.parallel.fsdp2;

import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Owner;
import dev.headroom.executor.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the units of a model share (FSDPCommContext and FSDPStateContext). */
final class Communication {
    static final Owner OWNER = new Owner("", "fully_shard");

    /** Streams, in the order in which they are made. */
    static final int COPY_IN = 1;

    static final int GATHER = 2;
    static final int SCATTER = 3;
    static final int REDUCE = 4;

    final Eager eager;
    final BackwardPass passes;

    /** Whether the pass that runs reduces gradients (reduce_grads). */
    private boolean reduces = true;

    /** What was gathered last in the forward pass: it lives until the next unit's was copied (all_gather_state). */
    private @Nullable Tensor kept;

    /** What reductions work on, until the next unit's (reduce_scatter_states). */
    private final Deque<Tensor> reducing = new ArrayDeque<>();

    /** Units in the order of their forward passes (post_forward_order). */
    private final List<ParameterGroup> order = new ArrayList<>();

    private @Nullable UnitHooks forwardRoot;
    private boolean finishQueued;

    Communication(Eager eager, BackwardPass passes) {
        this.eager = eager;
        this.passes = passes;
    }

    boolean reduces() {
        return reduces;
    }

    void setReduces(boolean value) {
        reduces = value;
    }

    /** Takes over a reference. */
    void keep(Tensor gathered) {
        dropKept();
        kept = gathered;
    }

    /** With the reference, or {@code null}. */
    @Nullable
    Tensor takeKept() {
        Tensor out = kept;
        kept = null;
        return out;
    }

    void dropKept() {
        eager.release(takeKept());
    }

    /** Takes over a reference. */
    void reducing(Tensor input) {
        reducing.add(input);
    }

    /** Lets go of what the reduction before works on. */
    void recycle() {
        while (!reducing.isEmpty()) {
            eager.release(reducing.remove());
        }
    }

    int passed(ParameterGroup group) {
        order.add(group);
        return order.size() - 1;
    }

    ParameterGroup passed(int place) {
        return order.get(place);
    }

    /** The unit that the forward pass began with, or {@code null}. */
    @Nullable
    UnitHooks forwardRoot() {
        return forwardRoot;
    }

    void setForwardRoot(@Nullable UnitHooks root) {
        forwardRoot = root;
    }

    /** Has something run once at the end of the backward pass. */
    void queueFinish(Runnable finish) {
        if (!finishQueued) {
            finishQueued = true;
            passes.atEnd(finish);
        }
    }

    /** The backward pass has ended. */
    void finish() {
        order.clear();
        recycle();
        finishQueued = false;
    }

    void close() {
        dropKept();
        recycle();
    }
}
