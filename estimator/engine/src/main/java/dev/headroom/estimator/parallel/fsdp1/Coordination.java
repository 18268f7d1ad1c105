package dev.headroom.estimator.parallel.fsdp1;

import dev.headroom.estimator.parallel.unit.UnitOrder;
import dev.headroom.estimator.runtime.AutogradEngine;
import dev.headroom.estimator.runtime.EagerRuntime;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What the units of a model share: streams, the order in which they ran, and the limit on gathers that the device has
 * not caught up with (torch/distributed/fsdp/_runtime_utils.py, _share_state_and_init_handle_attrs; _limiter_utils.py).
 */
final class Coordination extends UnitOrder<FlatUnit> {
    static final int UNSHARD = 1;
    static final int POST_BACKWARD = 2;
    static final int PRE_UNSHARD = 3;
    static final int ALL_REDUCE = 4;

    /** NCCL's own, for collectives that were not given one. */
    static final int NCCL = 5;

    private static final int MOST_IN_FLIGHT = 2;

    private final boolean limits;
    private final Deque<Long> frees = new ArrayDeque<>();

    Coordination(EagerRuntime runtime, AutogradEngine engine, boolean limits) {
        super(runtime, engine);
        this.limits = limits;
    }

    /** Memory was freed: the next gathers wait for it. */
    void freed() {
        if (limits) {
            frees.add(runtime().allocator().mark());
        }
    }

    /** The host waits for the oldest free when several are on their way. */
    void limit() {
        if (limits && frees.size() >= MOST_IN_FLIGHT) {
            runtime().allocator().reached(frees.remove());
        }
    }
}
