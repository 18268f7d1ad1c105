package dev.headroom.estimator.op.core;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reductions over dimensions (ATen/native/ReduceOps.cpp), with the scratch that their kernels take. */
public final class Reductions {
    /** Bytes of a WelfordData with float32 values, which sums up means and variances. */
    public static final int WELFORD = 16;

    private Reductions() {}

    /** The dimensions to reduce: the given ones, or all. */
    public static boolean[] mask(long @Nullable [] dims, int n) {
        boolean[] out = new boolean[n];
        if (dims == null || dims.length == 0) {
            java.util.Arrays.fill(out, true);
            return out;
        }
        for (long d : dims) {
            if (n > 0) {
                out[Shapes.wrap(d, n)] = true;
            }
        }
        return out;
    }

    public static long[] reduced(long[] sizes, boolean[] mask, boolean keep) {
        long[] out = new long[sizes.length];
        int n = 0;
        for (int i = 0; i < sizes.length; i++) {
            if (!mask[i]) {
                out[n++] = sizes[i];
            } else if (keep) {
                out[n++] = 1;
            }
        }
        return java.util.Arrays.copyOf(out, n);
    }

    /**
     * A reduction's result and its kernel's scratch, which is gone again when this returns; not recorded.
     *
     * @param accumulator bytes of the kernel's accumulator
     */
    public static Tensor reduce(EagerRuntime rt, Tensor t, boolean[] mask, boolean keep, DType type, int accumulator) {
        Tensor out = rt.empty(type, reduced(t.sizes(), mask, keep));
        ReduceScratch.use(rt, t, mask, type.bytes(), accumulator);
        return out;
    }

    /**
     * A sum or mean in another type than the input's: the kernel reads half types as they are, anything else is
     * converted after the result was made (ATen/native/ReduceOpsUtils.h, make_reduction_from_out_ty).
     */
    private static Tensor reduceAs(EagerRuntime rt, Tensor t, boolean[] mask, boolean keep, DType type) {
        boolean direct = t.dtype() == type || t.dtype().isReducedFloat() && type == DType.FLOAT32;
        if (direct) {
            return reduce(rt, t, mask, keep, type, accumulator(type));
        }
        Tensor out = rt.empty(type, reduced(t.sizes(), mask, keep));
        Tensor converted = rt.emptyLike(t, type);
        ReduceScratch.use(rt, converted, mask, type.bytes(), accumulator(type));
        rt.free(converted);
        return out;
    }

    /** Bytes of the accumulator of a sum: half types sum in float32. */
    public static int accumulator(DType type) {
        return switch (type) {
            case FLOAT16, BFLOAT16 -> 4;
            default -> type.isFloatingPoint() || type.isComplex() ? type.bytes() : 8;
        };
    }

    public static Tensor sum(EagerRuntime rt, Tensor t, long @Nullable [] dims, boolean keep, DType type) {
        boolean[] mask = mask(dims, t.dim());
        Recorder r = rt.record("SumBackward1", t);
        Tensor out = reduceAs(rt, t, mask, keep, type);
        long[] from = t.sizes();
        return r.gradient(0, g -> expandBack(rt, g, from, mask, keep)).again().output(out);
    }

    public static Tensor mean(EagerRuntime rt, Tensor t, long @Nullable [] dims, boolean keep, DType type) {
        boolean[] mask = mask(dims, t.dim());
        Recorder r = rt.record("MeanBackward1", t);
        Tensor out = reduceAs(rt, t, mask, keep, type);
        long[] from = t.sizes();
        // mean_backward: the expanded gradient divided by the count is a fresh tensor.
        return r.gradient(0, g -> {
                    Tensor wide = expandBack(rt, g, from, mask, keep);
                    Tensor divided = Pointwise.divByNumber(rt, wide, rt.wrappedNumber(DType.INT64));
                    rt.free(wide);
                    return divided;
                })
                .again()
                .output(out);
    }

    /** FunctionsManual.cpp, sum_backward: a view of the gradient in the shape of the input. */
    public static Tensor expandBack(EagerRuntime rt, Tensor g, long[] sizes, boolean[] mask, boolean kept) {
        Tensor v = g;
        if (!kept && sizes.length > 0) {
            for (int d = 0; d < sizes.length; d++) {
                if (mask[d]) {
                    v = Views.unsqueeze(rt, v, d);
                }
            }
        }
        return Views.expand(rt, v, sizes);
    }

    /** FunctionsManual.cpp, restore_reduced_dims: reduced dimensions come back with size 1. */
    public static Tensor restored(EagerRuntime rt, Tensor t, boolean[] mask) {
        Tensor v = t;
        for (int d = 0; d < mask.length; d++) {
            if (mask[d]) {
                v = Views.unsqueeze(rt, v, d);
            }
        }
        return v;
    }

    /** {@code mask.sum(dims, keepdim=True)}: how many hold. */
    public static Tensor counted(EagerRuntime rt, Tensor holds, boolean[] mask) {
        return reduceAs(rt, holds, mask, true, DType.INT64);
    }

    /** {@code at::sum_to}: sums away what broadcasting added (ATen/ExpandUtils.h). */
    public static Tensor sumTo(EagerRuntime rt, Tensor t, long[] sizes) {
        if (java.util.Arrays.equals(t.sizes(), sizes)) {
            return t;
        }
        if (sizes.length == 0) {
            return sum(rt, t, null, false, t.dtype());
        }
        int lead = t.dim() - sizes.length;
        boolean[] mask = new boolean[t.dim()];
        int n = 0;
        for (int i = 0; i < t.dim(); i++) {
            mask[i] = i < lead || sizes[i - lead] == 1 && t.size(i) != 1;
            n += mask[i] ? 1 : 0;
        }
        Tensor out = t;
        if (n > 0) {
            long[] dims = IntStream.range(0, mask.length)
                    .filter(d -> mask[d])
                    .mapToLong(d -> d)
                    .toArray();
            out = sum(rt, t, dims, true, t.dtype());
        }
        if (lead > 0) {
            Tensor viewed = Views.view(rt, out, sizes);
            rt.freeUnless(out, t);
            return viewed;
        }
        return out;
    }
}
