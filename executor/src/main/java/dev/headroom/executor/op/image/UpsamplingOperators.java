package dev.headroom.executor.op.image;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.kernel.PoolingKernels.Scaling;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;

/** {@code aten.upsample_nearest2d} and {@code aten.upsample_bilinear2d} (aten/src/ATen/native/cuda/UpSample*.cu). */
public final class UpsamplingOperators {
    /** From so many channels on the nearest kernel takes channels-last tensors as they are (UpSampleNearest2d.cu). */
    private static final long MANY_CHANNELS = 4;

    private UpsamplingOperators() {}

    public static void register(Operators o) {
        o.add1("aten.upsample_nearest2d", (e, a) -> upsample(e, a, true));
        o.add1("aten.upsample_bilinear2d", (e, a) -> upsample(e, a, false));
    }

    private static Tensor upsample(Eager e, Arguments a, boolean nearest) {
        Tensor x = a.tensor(a.has("input") ? "input" : "self");
        if (x.dims() != 4) {
            throw new UserInputException(
                    "upsampling of an input of shape " + Arrays.toString(x.sizes()) + "; it must have 4 dimensions");
        }
        double[] factors = factors(a, 2);
        long[] sizes = sizes(a, x, factors);
        Scaling scaling = new Scaling(a.flag("align_corners", false), factors);
        Recorder r = e.record(nearest ? "UpsampleNearest2DBackward0" : "UpsampleBilinear2DBackward0", x);
        Tensor out = e.call(() -> forward(e, x, sizes, scaling, nearest));
        long[] before = x.sizes();
        return r.backward(g -> new Tensor[] {backward(e, g[0], before, scaling, nearest)})
                .output(out);
    }

    /** The result's sizes: given, or the operand's times the factors. */
    static long[] sizes(Arguments a, Tensor x, double... factors) {
        long[] sizes = x.sizes().clone();
        long[] asked = a.integers("output_size");
        for (int i = 0; i < factors.length; i++) {
            sizes[2 + i] = asked.length > 0 ? asked[i] : (long) (x.size(2 + i) * factors[i]);
        }
        return sizes;
    }

    /** Factors by dimension, 0 where none is given. */
    static double[] factors(Arguments a, int dims) {
        String[][] names = {{"scales"}, {"scales_h", "scales_w"}, {"scales_d", "scales_h", "scales_w"}};
        double[] out = new double[dims];
        double[] given = a.reals("scale_factors");
        for (int i = 0; i < dims; i++) {
            out[i] = given.length > i ? given[i] : a.real(names[dims - 1][i], 0);
        }
        return out;
    }

    /** Copies where no size changes, which is all that these kernels do then, either way. */
    static boolean copies(Eager e, Tensor out, Tensor x) {
        boolean same = Arrays.equals(x.sizes(), out.sizes());
        if (same) {
            Copies.fill(e, out, x);
        }
        return same;
    }

    private static Tensor forward(Eager e, Tensor x, long[] sizes, Scaling scaling, boolean nearest) {
        MemoryFormat format = Formats.suggested(x);
        Tensor out = Formats.empty(e, x.dtype(), format, sizes);
        if (copies(e, out, x)) {
            return out;
        }
        boolean asItLies = format == MemoryFormat.CONTIGUOUS || !nearest || x.size(1) >= MANY_CHANNELS;
        // Few channels are computed row-major and copied into the result afterwards.
        Tensor work = asItLies ? out : e.empty(x.dtype(), sizes);
        boolean anyStrides = !nearest && format == MemoryFormat.CONTIGUOUS;
        Tensor source = anyStrides ? x : Formats.packed(e, x, asItLies ? format : MemoryFormat.CONTIGUOUS);
        if (nearest) {
            e.backend().poolings().nearest(work, source, scaling);
        } else {
            e.backend().poolings().bilinear(work, source, scaling);
        }
        if (work != out) {
            Copies.fill(e, out, work);
        }
        return out;
    }

    private static Tensor backward(Eager e, Tensor g, long[] sizes, Scaling scaling, boolean nearest) {
        MemoryFormat format = Formats.suggested(g);
        Tensor out = Formats.empty(e, g.dtype(), format, sizes);
        if (copies(e, out, g)) {
            return out;
        }
        boolean asItLies = format == MemoryFormat.CONTIGUOUS || !nearest || g.size(1) >= MANY_CHANNELS;
        try (Scope s = e.open()) {
            Tensor work = asItLies ? out : e.empty(g.dtype(), sizes);
            Tensor packed = Formats.packed(e, g, asItLies ? format : MemoryFormat.CONTIGUOUS);
            if (nearest) {
                e.backend().poolings().nearestBackward(work, packed, scaling);
            } else {
                e.backend().poolings().bilinearBackward(work, packed, scaling);
            }
            if (work != out) {
                Copies.fill(e, out, work);
            }
        }
        return out;
    }
}
