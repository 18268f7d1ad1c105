package dev.headroom.estimator.op.fft;

import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The three kinds of transforms ({@code _fft_c2c}, {@code _fft_r2c}, {@code _fft_c2r};
 * ATen/native/cuda/SpectralOps.cpp). cuFFT reads batches of dense signals: other layouts are
 * copied first, and results lie as the batches do.
 */
final class Fourier {
    private Fourier() {}

    static DType complex(DType type) {
        return switch (type) {
            case FLOAT64, COMPLEX128 -> DType.COMPLEX128;
            case FLOAT16, COMPLEX32 -> DType.COMPLEX32;
            default -> DType.COMPLEX64;
        };
    }

    static DType real(DType type) {
        return switch (type) {
            case COMPLEX128, FLOAT64 -> DType.FLOAT64;
            case COMPLEX32, FLOAT16 -> DType.FLOAT16;
            default -> DType.FLOAT32;
        };
    }

    /** Batch dimensions by falling stride, then the transformed ones. */
    private static int[] order(Tensor t, int[] dims) {
        boolean[] transformed = new boolean[t.dim()];
        for (int d : dims) {
            transformed[d] = true;
        }
        int[] batch = IntStream.range(0, t.dim())
                .filter(d -> !transformed[d])
                .boxed()
                .sorted(Comparator.comparingLong(d -> -t.stride(d)))
                .mapToInt(d -> d)
                .toArray();
        return IntStream.concat(Arrays.stream(batch), Arrays.stream(dims)).toArray();
    }

    private static boolean copied(Tensor t, int[] dims) {
        int[] order = order(t, dims);
        long[] sizes = Arrays.stream(order).mapToLong(t::size).toArray();
        long[] strides = Arrays.stream(order).mapToLong(t::stride).toArray();
        long[] batched = new long[dims.length + 1];
        batched[0] = 1;
        for (int i = 0; i < sizes.length - dims.length; i++) {
            batched[0] *= sizes[i];
        }
        for (int i = 0; i < dims.length; i++) {
            batched[i + 1] = t.size(dims[i]);
        }
        return Shapes.viewStrides(sizes, strides, batched) == null;
    }

    /** The library's call: the result in the layout of the batches, and copies that are gone again. */
    private static Tensor execute(EagerRuntime rt, Tensor t, DType type, long[] sizes, int[] dims, boolean destroys) {
        int[] order = order(t, dims);
        long[] strides = new long[sizes.length];
        long step = 1;
        for (int i = order.length - 1; i >= 0; i--) {
            strides[order[i]] = step;
            step *= sizes[order[i]];
        }
        Tensor out = rt.emptyStrided(type, sizes, strides);
        Tensor own = destroys ? rt.empty(t.dtype(), t.sizes()) : t;
        if (copied(own, dims)) {
            rt.free(rt.empty(t.dtype(), t.sizes()));
        }
        rt.freeUnless(own, t);
        rt.workspaces().noteBound();
        return out;
    }

    static Tensor ofComplex(EagerRuntime rt, Tensor t, int[] dims) {
        Recorder r = rt.record("FftC2CBackward0", t);
        Tensor out = execute(rt, t, t.dtype(), t.sizes(), dims, false);
        return r.gradient(0, g -> ofComplex(rt, g, dims)).output(out);
    }

    /** @param half whether the last transformed dimension keeps only its half that is not redundant */
    static Tensor ofReal(EagerRuntime rt, Tensor t, int[] dims, boolean half) {
        int last = dims[dims.length - 1];
        long[] sizes = t.sizes().clone();
        sizes[last] = half ? sizes[last] / 2 + 1 : sizes[last];
        Recorder r = rt.record("FftR2CBackward0", t);
        r.save(t);
        Tensor out = execute(rt, t, complex(t.dtype()), sizes, dims, false);
        long[] whole = t.sizes();
        return r.gradient(0, g -> {
                    Tensor full = half && g.size(last) != whole[last] ? Creation.zeros(rt, g.dtype(), whole) : g;
                    Tensor back = execute(rt, full, g.dtype(), whole, dims, false);
                    rt.freeUnless(full, g);
                    Tensor part = realPart(rt, back);
                    rt.free(back);
                    return part;
                })
                .output(out);
    }

    /** The real part, a view. */
    static Tensor realPart(EagerRuntime rt, Tensor t) {
        long[] strides = Arrays.stream(t.strides()).map(s -> 2 * s).toArray();
        return rt.reinterpret(t, real(t.dtype()), t.sizes(), strides, 2 * t.offset());
    }

    /** @param length of the last transformed dimension */
    static Tensor toReal(EagerRuntime rt, Tensor t, int[] dims, long length) {
        long[] sizes = t.sizes().clone();
        sizes[dims[dims.length - 1]] = length;
        Recorder r = rt.record("FftC2RBackward0", t);
        Tensor out = execute(rt, t, real(t.dtype()), sizes, dims, true);
        long[] original = t.sizes();
        return r.gradient(0, g -> execute(rt, g, complex(g.dtype()), original, dims, false))
                .output(out);
    }
}
