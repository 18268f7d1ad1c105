package dev.headroom.executor.parallel.fsdp2;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** A parameter of which this rank keeps some rows (_fsdp_param.py, FSDPParam). */
final class ShardedParameter {
    private final Eager eager;
    private final DType gatheredType;
    private final long[] sizes;
    private final long rowsOfRank;
    private final int ranks;
    private final Tensor sharded;

    /** The own rows, padded to as many as the first rank has; all that is done with it is done with its storage. */
    private final Tensor data;

    /** The whole, flat and padded; it has memory only while the parameter is gathered. */
    private final Tensor flat;

    /** The same as the module sees it. */
    private final Tensor whole;

    /** What is left of it after the forward pass, where it is divided among fewer ranks; or {@code null}. */
    private @Nullable Tensor afterForward;

    /** The own rows where they were made without padding; or {@code null}. */
    private @Nullable Tensor unpadded;

    /** Its gradient in the type of the reduction, which comes in a later pass; or {@code null}. */
    private @Nullable Tensor accumulated;

    /**
     * Divides a parameter. Memory is taken where the parameter has some.
     *
     * @param gatheredType type in which it computes
     * @throws UserInputException for a parameter that PyTorch does not divide
     */
    ShardedParameter(Eager eager, String name, Tensor parameter, DType gatheredType, int rank, int ranks) {
        if (parameter.dims() == 0) {
            throw new UserInputException("`parallel=fsdp2`: parameter '" + name
                    + "' is a scalar, which PyTorch does not divide; make it a tensor of one element");
        }
        if (!parameter.isContiguous()) {
            throw new UserInputException("`parallel=fsdp2`: parameter '" + name
                    + "' is not contiguous, which PyTorch does not divide; leave out `channels_last`");
        }
        this.eager = eager;
        this.gatheredType = gatheredType;
        this.ranks = ranks;
        this.sizes = parameter.sizes();
        this.rowsOfRank = (sizes[0] + ranks - 1) / ranks;
        long first = Math.min(sizes[0], rank * rowsOfRank);
        long rows = Math.min(sizes[0], first + rowsOfRank) - first;
        try (Scope s = eager.open()) {
            data = eager.hold(eager.unallocated(parameter.dtype(), rows(rowsOfRank)));
            sharded = eager.hold(eager.alias(data, rows(rows), Layout.contiguous(sizes), 0));
            sharded.requireGrad(parameter.requiresGrad());
            if (parameter.storage().hasMemory()) {
                eager.takeStorage(data);
                Elementwise.fill(eager, data, 0);
                if (rows > 0) {
                    long at = parameter.offset() + first * rowElements();
                    Copies.fill(eager, sharded, eager.alias(parameter, rows(rows), Layout.contiguous(sizes), at));
                }
            }
            flat = eager.hold(eager.unallocated(gatheredType, paddedElements()));
            whole = eager.hold(eager.alias(flat, sizes, Layout.contiguous(sizes), 0));
            whole.requireGrad(parameter.requiresGrad());
        }
    }

    private long[] rows(long count) {
        long[] out = sizes.clone();
        out[0] = count;
        return out;
    }

    private long rowElements() {
        return Layout.elements(rows(1));
    }

    /** Elements of a rank's padded part. */
    long partElements() {
        return rowsOfRank * rowElements();
    }

    long paddedElements() {
        return partElements() * ranks;
    }

    /** The rows that the optimizer steps. */
    Tensor sharded() {
        return sharded;
    }

    /** What the module computes with. */
    Tensor whole() {
        return whole;
    }

    Tensor flat() {
        return flat;
    }

    DType gatheredType() {
        return gatheredType;
    }

    /** The own rows of a flat reduced gradient. */
    Tensor shardOf(Tensor reduced, long offset) {
        return eager.alias(reduced, sharded.sizes(), Layout.contiguous(sharded.sizes()), offset);
    }

    /** Flat values that are gathered: the padded rows, or what is left after the forward pass. */
    Tensor part() {
        Tensor t = afterForward == null ? data : afterForward;
        return eager.alias(t, new long[] {t.elements()}, new long[] {1}, t.offset());
    }

    /**
     * {@code to_empty}: takes memory for the own rows alone, where there is none; they are padded when all of the unit
     * has some.
     *
     * @return the own rows, to be filled
     */
    Tensor materialise() {
        if (sharded.elements() == data.elements()) {
            eager.takeStorage(data);
            return sharded;
        }
        try (Scope s = eager.open()) {
            Tensor rows = eager.hold(eager.unallocated(sharded.dtype(), sharded.sizes()));
            unpadded = rows;
            eager.takeStorage(rows);
            return rows;
        }
    }

    /** reset_sharded_param. */
    void pad() {
        if (unpadded == null) {
            return;
        }
        eager.takeStorage(data);
        Elementwise.fill(eager, data, 0);
        if (sharded.elements() > 0) {
            Copies.fill(eager, sharded, unpadded);
        }
        eager.release(unpadded);
        unpadded = null;
    }

    /** The module gives up the gathered values. */
    void freeWhole() {
        eager.giveStorage(flat);
    }

    /** Keeps a part of the gathered values, among so many ranks (to_sharded_post_forward). */
    void keepAfterForward(int rank, int among) {
        long each = paddedElements() / among;
        try (Scope s = eager.open()) {
            Tensor kept = eager.empty(gatheredType, each);
            Copies.fill(eager, kept, eager.alias(flat, new long[] {each}, new long[] {1}, rank * each));
            afterForward = eager.hold(kept);
        }
        freeWhole();
    }

    void dropAfterForward() {
        eager.release(afterForward);
        afterForward = null;
    }

    /** accumulate_unsharded_grad_if_needed. */
    void accumulate() {
        if (accumulated != null && whole.grad() != null) {
            try (Scope s = eager.open()) {
                Elementwise.into(eager, Elementwise.ADD, accumulated, accumulated, whole.grad());
            }
            eager.setGrad(whole, null);
        }
    }

    /** to_accumulated_grad_if_needed. */
    void widenGradient(@Nullable DType reduceType) {
        if (reduceType == null || whole.grad() == null || whole.grad().dtype() == reduceType) {
            return;
        }
        try (Scope s = eager.open()) {
            Tensor before = eager.adopt(eager.hold(whole.grad()));
            eager.setGrad(whole, null);
            Tensor wide = eager.emptyLike(before, reduceType);
            Copies.fill(eager, wide, before);
            accumulated = eager.hold(wide);
        }
    }

    /** The gradient of the whole, with a reference for the caller, or {@code null}; the parameter lets go of it. */
    @Nullable
    Tensor takeGradient() {
        Tensor out = accumulated;
        if (out != null) {
            accumulated = null;
            return out;
        }
        out = eager.hold(whole.grad());
        eager.setGrad(whole, null);
        return out;
    }

    /** Rows of the whole that a rank has. */
    long[] rowsOf(int rank) {
        long first = Math.min(sizes[0], rank * rowsOfRank);
        return new long[] {first, Math.min(sizes[0], first + rowsOfRank) - first};
    }

    /** Some rows of a tensor of the whole's shape. */
    Tensor rowsOf(Tensor t, long first, long count) {
        return eager.alias(t, rows(count), t.strides(), t.offset() + first * t.stride(0));
    }

    /** Some rows in a flat tensor. */
    Tensor rowsIn(Tensor t, long offset, long count) {
        return eager.alias(t, rows(count), Layout.contiguous(sizes), offset);
    }

    void close() {
        for (@Nullable Tensor t : new Tensor[] {unpadded, afterForward, accumulated, whole, flat, sharded, data}) {
            eager.release(t);
        }
        unpadded = null;
        afterForward = null;
        accumulated = null;
    }
}
