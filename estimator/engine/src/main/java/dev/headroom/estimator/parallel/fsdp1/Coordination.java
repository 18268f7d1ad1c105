package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What the units of a model share: streams, the order in which they ran, and the limit on gathers that the device has
 * not caught up with (torch/distributed/fsdp/_runtime_utils.py, _share_state_and_init_handle_attrs; _limiter_utils.py).
 */
final class Coordination {
    static final int UNSHARD = 1;
    static final int POST_BACKWARD = 2;
    static final int PRE_UNSHARD = 3;
    static final int ALL_REDUCE = 4;

    /** NCCL's own, for collectives that were not given one. */
    static final int NCCL = 5;

    private static final int MOST_IN_FLIGHT = 2;

    private final EagerRuntime runtime;
    private final AutogradEngine engine;
    private final boolean limits;
    private final Deque<Long> frees = new ArrayDeque<>();
    private final List<FlatUnit> order = new ArrayList<>();
    private boolean finishQueued;

    /** Whether the pass that runs reduces its gradients ({@code no_sync}). */
    private boolean reduces = true;

    Coordination(EagerRuntime runtime, AutogradEngine engine, boolean limits) {
        this.runtime = runtime;
        this.engine = engine;
        this.limits = limits;
    }

    EagerRuntime runtime() {
        return runtime;
    }

    boolean reduces() {
        return reduces;
    }

    void setReduces(boolean value) {
        reduces = value;
    }

    /** Memory was freed: the next gathers wait for it. */
    void freed() {
        if (limits) {
            frees.add(runtime.allocator().mark());
        }
    }

    /** The host waits for the oldest free when several are on their way. */
    void limit() {
        if (limits && frees.size() >= MOST_IN_FLIGHT) {
            runtime.allocator().reached(frees.remove());
        }
    }

    /** A unit's forward pass is over. @return its place in the order */
    int passed(FlatUnit unit) {
        order.add(unit);
        return order.size() - 1;
    }

    FlatUnit passed(int place) {
        return order.get(place);
    }

    /** Calls once at the end of the backward pass that runs. */
    void queueFinish(Runnable finish) {
        if (!finishQueued) {
            finishQueued = true;
            engine.queueCallback(finish);
        }
    }

    void finished() {
        order.clear();
        finishQueued = false;
    }
}
