package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Parameters on their way to being whole (deepspeed/runtime/zero/partition_parameters.py, AllGatherCoalescedHandle and
 * AllGatherHandle). Several come in one flat buffer and are copied out of it when the first of them is waited for; the
 * buffer stays until the last one was.
 */
final class Gathering {
    private final EagerRuntime runtime;
    private final Collectives collectives;
    private final List<ShardedParameter> parameters;
    private final @Nullable Tensor flat;
    private final List<Tensor> copies;
    private int waiters;
    private boolean complete;

    /**
     * What was asked for.
     *
     * @param flat the buffer, with a reference that passes over; {@code null} where each has a buffer of its own
     * @param copies of parts that came from the host, which the collectives keep
     */
    Gathering(
            EagerRuntime runtime,
            Collectives collectives,
            List<ShardedParameter> parameters,
            @Nullable Tensor flat,
            List<Tensor> copies) {
        this.runtime = runtime;
        this.collectives = collectives;
        this.parameters = parameters;
        this.flat = flat;
        this.copies = copies;
        this.waiters = parameters.size();
        parameters.forEach(p -> p.setStatus(ShardedParameter.Status.COMING));
    }

    /** One of the parameters is needed. */
    void await() {
        if (!complete) {
            complete = true;
            copies.forEach(collectives::unstash);
            if (flat != null) {
                parameters.forEach(this::copyOut);
            }
            parameters.forEach(p -> p.setStatus(ShardedParameter.Status.WHOLE));
        }
        if (--waiters == 0) {
            runtime.release(flat);
        }
    }

    private void copyOut(ShardedParameter p) {
        try (Frame frame = runtime.frame()) {
            p.setWhole(runtime.emptyStrided(p.type(), new long[] {p.numel()}, new long[] {1}, Category.PARAMETERS));
            runtime.streams()
                    .recordUse(Objects.requireNonNull(flat), runtime.streams().current());
        }
    }
}
