package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A parameter of which each rank has an equal part, and all of it only for a while
 * (deepspeed/runtime/zero/partition_parameters.py, Init._convert_to_deepspeed_param).
 */
final class ShardedParameter {
    /** What of it is there (ZeroParamStatus). */
    enum Status {
        WHOLE,
        COMING,
        SHARDED
    }

    private final EagerRuntime runtime;
    private final int id;
    private final Tensor tensor;
    private final long shardNumel;
    private final long before;
    private final Set<String> users = new HashSet<>();
    private Status status = Status.WHOLE;
    private boolean persistent;

    /** The own part, or {@code null} while it is in the host's memory. */
    private @Nullable Tensor shard;

    /** @param id its place in {@code parameters()} */
    ShardedParameter(EagerRuntime runtime, int id, Tensor tensor, int ranks, int rank) {
        this.runtime = runtime;
        this.id = id;
        this.tensor = tensor;
        this.shardNumel = Bytes.ceilDiv(tensor.numel(), ranks);
        this.before = shardNumel * rank;
    }

    int id() {
        return id;
    }

    Tensor tensor() {
        return tensor;
    }

    DType type() {
        return tensor.dtype();
    }

    /** Elements of the whole. */
    long numel() {
        return tensor.numel();
    }

    /** Elements of every rank's part, padding included. */
    long shardNumel() {
        return shardNumel;
    }

    /** Elements that the own rank really has. */
    long ownNumel() {
        return Math.max(0, Math.min(shardNumel, numel() - before));
    }

    /** Bytes of every rank's part. */
    long shardBytes() {
        return shardNumel * type().bytes();
    }

    boolean trained() {
        return tensor.requiresGrad();
    }

    @Nullable
    Tensor shard() {
        return shard;
    }

    /** Takes another tensor as the own part, or none where it moves to the host. */
    void setShard(@Nullable Tensor other) {
        runtime.hold(other);
        runtime.release(shard);
        shard = other;
    }

    Status status() {
        return status;
    }

    void setStatus(Status now) {
        status = now;
    }

    /** Whether it stays whole between steps. */
    boolean persistent() {
        return persistent;
    }

    void setPersistent() {
        persistent = true;
    }

    /** Modules that need it whole now. */
    Set<String> users() {
        return users;
    }

    /** The whole parameter is there, as a part of a tensor. */
    void setWhole(@Nullable Tensor data) {
        runtime.setData(tensor, Objects.requireNonNull(data), Shapes.contiguous(tensor.sizes()), data.offset());
    }

    /** Lets go of the whole (free_param): it was used on the current stream. */
    void letGo() {
        runtime.streams().recordUse(tensor, runtime.streams().current());
        try (Frame frame = runtime.frame()) {
            runtime.setData(tensor, runtime.empty(type(), 0), Shapes.contiguous(tensor.sizes()), 0);
        }
        status = Status.SHARDED;
    }
}
