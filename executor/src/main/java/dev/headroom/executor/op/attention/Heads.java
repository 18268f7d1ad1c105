package dev.headroom.executor.op.attention;

import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;

/** Attention's tensors are (batch, heads, sequence, size) outside and (batch, sequence, heads, size) inside kernels. */
final class Heads {
    private Heads() {}

    /** As kernels see it. */
    static Tensor inside(Eager e, Tensor t) {
        return swapped(e, t);
    }

    /** As callers see it. */
    static Tensor outside(Eager e, Tensor t) {
        return swapped(e, t);
    }

    private static Tensor swapped(Eager e, Tensor t) {
        return e.alias(
                t,
                new long[] {t.size(0), t.size(2), t.size(1), t.size(3)},
                new long[] {t.stride(0), t.stride(2), t.stride(1), t.stride(3)},
                t.offset());
    }

    /** A fresh tensor of a caller's shape that is row-major inside. */
    static Tensor emptyInside(Eager e, Tensor like) {
        return swappedAndDropped(e, e.empty(like.dtype(), like.size(0), like.size(2), like.size(1), like.size(3)));
    }

    /** A fresh tensor that has the layout that another has inside ({@code empty_like}). */
    static Tensor emptyLikeInside(Eager e, Tensor like) {
        Tensor seen = inside(e, like);
        Tensor out = swappedAndDropped(e, e.emptyLike(seen));
        e.free(seen);
        return out;
    }

    private static Tensor swappedAndDropped(Eager e, Tensor inner) {
        Tensor out = swapped(e, inner);
        e.free(inner);
        return out;
    }

    /** Adds up the gradients of the query heads that share a head of keys. */
    static void sumGroups(Eager e, Tensor out, Tensor each) {
        long shared = out.size(1);
        long group = each.size(1) / shared;
        long[] sizes = {each.size(0), each.size(2), shared, group, each.size(3)};
        long[] strides = {each.stride(0), each.stride(2), group * each.stride(1), each.stride(1), each.stride(3)};
        long[] kept = {out.size(0), out.size(2), shared, 1, out.size(3)};
        long[] steps = {out.stride(0), out.stride(2), out.stride(1), out.stride(1), out.stride(3)};
        e.backend()
                .reductions()
                .reduce(
                        Kind.SUM,
                        e.alias(out, kept, steps, out.offset()),
                        e.alias(each, sizes, strides, each.offset()));
    }
}
