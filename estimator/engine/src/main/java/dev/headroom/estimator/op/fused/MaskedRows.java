package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.core.NonZeroScratch;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code t[mask]} and {@code masked_scatter} with a mask that is all true, as are the labels of full batches.
 * What they take besides their results depends on the mask's size (ATen/native/cuda/Nonzero.cu, IndexKernel.cu,
 * Indexing.cu).
 */
final class MaskedRows {
    private MaskedRows() {}

    /** {@code t[mask]}: the mask's dimensions become one. */
    static Tensor select(EagerRuntime rt, Tensor t, Tensor mask) {
        Recorder r = rt.record("IndexBackward0", t);
        Saved kept = r.save(mask);
        Tensor at = positions(rt, mask);
        Tensor out = rt.empty(t.dtype(), rows(t, mask));
        rt.free(at);
        long[] original = t.sizes();
        return r.gradient(0, g -> scattered(rt, g, original, kept.get())).output(out);
    }

    private static long[] rows(Tensor t, Tensor mask) {
        long[] sizes = new long[t.dim() - mask.dim() + 1];
        sizes[0] = mask.numel();
        System.arraycopy(t.sizes(), mask.dim(), sizes, 1, sizes.length - 1);
        return sizes;
    }

    /** {@code mask.nonzero()}. */
    private static Tensor positions(EagerRuntime rt, Tensor mask) {
        NonZeroScratch.use(rt, mask.numel());
        return rt.empty(DType.INT64, mask.dim(), mask.numel());
    }

    /** Zeros with the gradient put where it was taken from. */
    private static Tensor scattered(EagerRuntime rt, Tensor g, long[] sizes, Tensor mask) {
        Tensor out = Creation.zeros(rt, g.dtype(), sizes);
        positions(rt, mask);
        long n = mask.numel();
        offset(rt, n); // is there until the end, and so are positions and what is sorted
        for (int d = 1; d < mask.dim(); d++) {
            rt.free(offset(rt, n));
        }
        rt.empty(DType.INT64, n);
        rt.empty(DType.INT64, n);
        rt.empty(DType.INT64, n);
        rt.scratch(CubScratch.sortPairs(rt.device(), n, DType.INT64.bytes(), CubScratch.bits(n - 1)));
        return out;
    }

    /** One index, checked for its bounds and turned into an offset. */
    private static Tensor offset(EagerRuntime rt, long n) {
        Tensor least = rt.empty(DType.INT64);
        Tensor most = rt.empty(DType.INT64);
        rt.free(rt.empty(DType.BOOL));
        rt.free(rt.empty(DType.BOOL));
        rt.free(least);
        rt.free(most);
        Tensor wrapped = rt.empty(DType.INT64, n);
        Tensor offset = rt.empty(DType.INT64, n);
        rt.free(wrapped);
        return offset;
    }

    /** {@code source.new_zeros(mask.shape).masked_scatter(mask, source)}. */
    static Tensor spread(EagerRuntime rt, Tensor source, Tensor mask) {
        Tensor zeros = rt.empty(source.dtype(), mask.sizes());
        Recorder r = rt.record("MaskedScatterBackward0", zeros, source);
        Saved kept = r.save(mask);
        Tensor out = rt.empty(source.dtype(), mask.sizes());
        Tensor sums = rt.empty(DType.INT64, mask.numel());
        rt.free(rt.scratch(CubScratch.scan(mask.numel(), DType.INT64.bytes())));
        rt.free(sums);
        long n = source.numel();
        r.gradient(1, g -> gathered(rt, g, kept.get(), n)).output(out);
        rt.free(zeros);
        return out;
    }

    /** masked_scatter_backward: what the mask picks, filled up with zeros. */
    private static Tensor gathered(EagerRuntime rt, Tensor g, Tensor mask, long n) {
        NonZeroScratch.use(rt, mask.numel());
        rt.empty(g.dtype(), n); // zeros, there until the end
        return rt.empty(g.dtype(), n);
    }

    /** Sum of all elements, as a scalar that no gradient flows through. */
    static Tensor count(EagerRuntime rt, Tensor t) {
        return Reductions.sum(rt, t, null, false, DType.INT64);
    }
}
