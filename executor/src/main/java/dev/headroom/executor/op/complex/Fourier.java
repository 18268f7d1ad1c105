package dev.headroom.executor.op.complex;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.kernel.VolumeKernels.Wave;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The three kinds of transforms, {@code _fft_c2c}, {@code _fft_r2c} and {@code _fft_c2r}
 * (aten/src/ATen/native/cuda/SpectralOps.cpp). cuFFT reads batches of dense signals: what lies otherwise is copied
 * first, and results lie as the batches do.
 */
final class Fourier {
    private final Eager e;
    private final int[] dims;
    private final int sign;
    private final double scale;

    /**
     * @param dims that are transformed
     * @param sign of the exponent: -1 from signals to spectra
     */
    Fourier(Eager e, int[] dims, int sign, double scale) {
        this.e = e;
        this.dims = dims;
        this.sign = sign;
        this.scale = scale;
    }

    private Fourier back() {
        return new Fourier(e, dims, -sign, scale);
    }

    private int last() {
        return dims[dims.length - 1];
    }

    /** Batch dimensions by falling stride, then the transformed ones. */
    private int[] order(Tensor t) {
        boolean[] transformed = new boolean[t.dims()];
        for (int d : dims) {
            transformed[d] = true;
        }
        int[] batch = IntStream.range(0, t.dims())
                .filter(d -> !transformed[d])
                .boxed()
                .sorted(Comparator.comparingLong(d -> -t.stride(d)))
                .mapToInt(d -> d)
                .toArray();
        return IntStream.concat(Arrays.stream(batch), Arrays.stream(dims)).toArray();
    }

    /** Whether the signals do not lie as a batch does. */
    private boolean copied(Tensor t) {
        int[] order = order(t);
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
        return Layout.viewed(sizes, strides, batched) == null;
    }

    /**
     * The library's call. The copies that it would read are made, and the kernel, which reads any layout, reads the
     * signals themselves.
     *
     * @param destroys whether the library writes into what it reads, which is a copy then
     */
    private Tensor execute(Tensor t, DType type, long[] sizes, boolean destroys) {
        int[] order = order(t);
        int[] fastestFirst = new int[order.length];
        for (int i = 0; i < order.length; i++) {
            fastestFirst[i] = order[order.length - 1 - i];
        }
        Tensor out = e.emptyStrided(type, sizes, Layout.packed(sizes, fastestFirst));
        try (Scope s = e.open()) {
            Tensor own = destroys ? e.empty(t.dtype(), t.sizes()) : t;
            if (copied(own)) {
                e.empty(t.dtype(), t.sizes());
            }
            long[] lengths = Arrays.stream(dims)
                    .mapToLong(d -> Math.max(t.size(d), sizes[d]))
                    .toArray();
            boolean mirrored = t.dtype().isComplex() && !type.isComplex();
            Wave wave = new Wave(dims, lengths, sign, scale, mirrored);
            e.backend().volumes().transform(parts(out), parts(t), wave);
        }
        return out;
    }

    private Tensor[] parts(Tensor t) {
        return t.dtype().isComplex() ? new Tensor[] {e.part(t, 0), e.part(t, 1)} : new Tensor[] {t};
    }

    Tensor ofComplex(Tensor t) {
        Recorder r = e.record("FftC2CBackward0", t);
        Tensor out = execute(t, t.dtype(), t.sizes(), false);
        return r.backward(g -> new Tensor[] {back().ofComplex(g[0])}).output(out);
    }

    /** @param half whether the last transformed dimension keeps only its half that is not redundant */
    Tensor ofReal(Tensor t, boolean half) {
        long[] whole = t.sizes();
        long[] sizes = whole.clone();
        sizes[last()] = half ? sizes[last()] / 2 + 1 : sizes[last()];
        Recorder r = e.record("FftR2CBackward0", t);
        r.save(t);
        Tensor out = execute(t, t.dtype().asComplex(), sizes, false);
        return r.backward(g -> new Tensor[] {e.call(() -> realGradient(g[0], whole, half))})
                .output(out);
    }

    /** Zeros stand for what the half leaves out; of the transform back the real part is left. */
    private Tensor realGradient(Tensor g, long[] whole, boolean half) {
        Tensor full = g;
        if (half && g.size(last()) != whole[last()]) {
            full = Slices.zeros(e, g, whole);
            try (Scope s = e.open()) {
                Copies.fill(e, e.alias(full, g.sizes(), full.strides(), 0), g);
            }
        }
        Tensor back = back().execute(full, g.dtype(), whole, false);
        e.freeUnless(full, g);
        return e.part(back, 0);
    }

    /** @param length of the last transformed dimension */
    Tensor toReal(Tensor t, long length) {
        long[] before = t.sizes();
        long[] sizes = before.clone();
        sizes[last()] = length;
        Recorder r = e.record("FftC2RBackward0", t);
        Tensor out = execute(t, t.dtype().ofParts(), sizes, true);
        return r.backward(g -> new Tensor[] {e.call(() -> spectrumGradient(g[0], before, length))})
                .output(out);
    }

    /** What its mirror image stood for counts twice. */
    private Tensor spectrumGradient(Tensor g, long[] sizes, long length) {
        Tensor out = back().execute(g, g.dtype().asComplex(), sizes, false);
        long twice = length - sizes[last()];
        if (twice > 0) {
            try (Scope s = e.open()) {
                long[] part = sizes.clone();
                part[last()] = twice;
                Tensor inner = e.alias(out, part, out.strides(), out.stride(last()));
                Elementwise.into(e, Scaling.SCALE, new double[] {2}, inner, inner);
            }
        }
        return out;
    }
}
