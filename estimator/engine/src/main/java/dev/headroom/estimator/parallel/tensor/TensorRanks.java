package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.plan.Placement;
import java.util.ArrayList;
import java.util.List;

/**
 * The ranks that share layers, and the ways between layouts (torch/distributed/tensor/placement_types.py,
 * torch/distributed/_functional_collectives.py). Nothing here is recorded.
 */
final class TensorRanks implements Distribution.Ranks {
    /** NCCL's own stream of the group; no other group's. */
    static final int NCCL = 16;

    private final EagerRuntime rt;
    private final Communicator communicator;

    TensorRanks(EagerRuntime rt, Communicator communicator) {
        this.rt = rt;
        this.communicator = communicator;
    }

    @Override
    public int size() {
        return communicator.size();
    }

    @Override
    public int rank() {
        return communicator.rank();
    }

    Communicator communicator() {
        return communicator;
    }

    @Override
    public Tensor redistribute(Tensor local, Placement from, Placement to, long[] sizes, boolean asynchronous) {
        if (from.equals(to) || size() == 1) {
            return local;
        }
        local.storage().await(rt);
        Tensor out =
                switch (to.kind()) {
                    case REPLICATE -> from.isShard() ? gather(local, from.dim(), sizes[from.dim()]) : allReduce(local);
                    case SHARD -> toShard(local, from, to.dim());
                    default -> rt.emptyLike(local); // divided by the number of ranks
                };
        if (!asynchronous) {
            out.storage().await(rt);
        }
        return out;
    }

    private Tensor toShard(Tensor local, Placement from, int dim) {
        if (from.isShard()) {
            throw new UserInputException("tensor parallelism from " + describe(from) + " to Shard(" + dim
                    + ") exchanges parts among all ranks, which is not modelled; change the layouts of the plan");
        }
        return from.isPartial() ? reduceScatter(local, dim) : part(local, dim);
    }

    private static String describe(Placement p) {
        return "Shard(" + p.dim() + ")";
    }

    private void ran(CollectiveKind kind, Tensor part) {
        communicator.run(kind, part.nbytes(), part.dtype(), NCCL);
    }

    /** {@code all_reduce}: in place on a copy. */
    private Tensor allReduce(Tensor local) {
        Tensor out = rt.empty(local.dtype(), local.sizes());
        ran(CollectiveKind.ALL_REDUCE, out);
        return out;
    }

    /** Shard._replicate_to_shard: a copy of the own chunk. */
    private Tensor part(Tensor whole, int dim) {
        long[] sizes = Chunks.local(whole.sizes(), dim, size(), rank());
        return rt.emptyStrided(whole.dtype(), sizes, Shapes.preserved(sizes, whole.strides()));
    }

    /** Shard._to_replicate_tensor: parts come one after another in dimension 0 and are put together from there. */
    private Tensor gather(Tensor local, int dim, long length) {
        Tensor padded = padded(local, dim, Chunks.largest(length, size()));
        Tensor input = padded.isContiguous() ? padded : rt.empty(padded.dtype(), padded.sizes());
        rt.freeUnless(padded, input == padded || padded == local ? padded : null);
        long[] sizes = input.sizes().clone();
        sizes[0] *= size();
        Tensor gathered = rt.empty(input.dtype(), sizes);
        ran(CollectiveKind.ALL_GATHER, input);
        Tensor out = gathered;
        long[] joined = input.sizes().clone();
        joined[dim] *= size();
        if (dim == 0 || sizes[0] == size() && between(sizes, dim) == 1) {
            gathered.storage().keepUntilWaited(rt, input);
            out = dim == 0 ? gathered : rt.reinterpret(gathered, joined, Shapes.contiguous(joined), 0);
        } else {
            out = rt.empty(input.dtype(), joined);
        }
        rt.freeUnless(gathered, out);
        Tensor result = unpadded(out, dim, length);
        rt.freeUnless(input, local); // a variable of the function holds it to its end
        return result;
    }

    private static long between(long[] sizes, int dim) {
        long n = 1;
        for (int d = 1; d < dim; d++) {
            n *= sizes[d];
        }
        return n;
    }

    /** {@code torch.nn.functional.pad}: the tensor itself where it is long enough. */
    private Tensor padded(Tensor t, int dim, long length) {
        if (t.size(dim) == length) {
            return t;
        }
        long[] sizes = t.sizes().clone();
        sizes[dim] = length;
        return rt.empty(t.dtype(), sizes);
    }

    private Tensor unpadded(Tensor t, int dim, long length) {
        if (t.size(dim) == length) {
            return t;
        }
        long[] sizes = t.sizes().clone();
        sizes[dim] = length;
        boolean dense = Shapes.isContiguous(sizes, t.strides());
        if (!dense) {
            t.storage().await(rt);
        }
        Tensor out = dense ? rt.reinterpret(t, sizes, t.strides(), 0) : rt.empty(t.dtype(), sizes);
        rt.free(t);
        return out;
    }

    /** Shard._reduce_shard_tensor. */
    private Tensor reduceScatter(Tensor local, int dim) {
        long length = local.size(dim);
        List<Tensor> chunks = new ArrayList<>();
        Tensor whole = local;
        if (length % size() != 0) {
            chunks = chunks(local, dim);
            long[] sizes = local.sizes().clone();
            sizes[dim] = Chunks.largest(length, size()) * size();
            whole = rt.empty(local.dtype(), sizes);
        } else if (!local.isContiguous()) {
            whole = rt.empty(local.dtype(), local.sizes());
        }
        // Parts are to lie one after another.
        Tensor input = dim == 0 ? whole : rt.empty(whole.dtype(), whole.sizes());
        long[] sizes = whole.sizes().clone();
        sizes[dim] /= size();
        Tensor out = rt.empty(whole.dtype(), sizes);
        ran(CollectiveKind.REDUCE_SCATTER, out);
        out.storage().keepUntilWaited(rt, input);
        rt.freeUnless(input, local);
        rt.freeUnless(whole, local);
        rt.freeAll(chunks);
        long own = Chunks.length(length, size(), rank());
        if (own == out.size(dim)) {
            return out;
        }
        sizes[dim] = own;
        Tensor short_ = rt.reinterpret(out, sizes, out.strides(), 0);
        rt.free(out);
        return short_;
    }

    /** Copies of all parts, each padded to the length of the first (Shard._split_tensor). */
    List<Tensor> chunks(Tensor whole, int dim) {
        List<Tensor> out = new ArrayList<>();
        long full = Chunks.largest(whole.size(dim), size());
        for (int r = 0; r < size(); r++) {
            long own = Chunks.length(whole.size(dim), size(), r);
            long[] sizes = whole.sizes().clone();
            sizes[dim] = full;
            if (own < full || !Shapes.isContiguous(sizes, whole.strides())) {
                out.add(rt.empty(whole.dtype(), sizes));
            }
        }
        return out;
    }
}
