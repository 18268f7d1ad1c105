package dev.headroom.estimator.op.fft;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** {@code torch.fft} (ATen/native/SpectralOps.cpp): signals of the type and lengths asked for, then one transform. */
final class Transforms {
    private Transforms() {}

    static boolean single(Call c) {
        return !c.node().operator().endsWith("2") && !c.node().operator().endsWith("n");
    }

    static int[] dims(Call c, Tensor t) {
        if (single(c)) {
            return new int[] {Shapes.wrap(c.integer("dim", -1), t.dim())};
        }
        if (c.has("dim")) {
            return Arrays.stream(c.integers("dim"))
                    .mapToInt(d -> Shapes.wrap(d, t.dim()))
                    .toArray();
        }
        int n = c.node().operator().endsWith("2") ? 2 : c.has("s") ? c.integers("s").length : t.dim();
        return IntStream.range(t.dim() - n, t.dim()).toArray();
    }

    static long[] lengths(Call c, Tensor t, int[] dims) {
        long[] given = single(c) ? c.integersOrNull("n") : c.integersOrNull("s");
        long[] out = new long[dims.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = given == null || given[i] == -1 ? t.size(dims[i]) : given[i];
        }
        return out;
    }

    /** resize_fft_input: what is too long is sliced, what is too short is padded with zeros. */
    static Tensor resized(Body b, Tensor t, int[] dims, long[] lengths) {
        Tensor x = t;
        long[] padding = new long[2 * t.dim()];
        boolean pads = false;
        for (int i = 0; i < dims.length; i++) {
            if (t.size(dims[i]) > lengths[i]) {
                x = b.call("slice.Tensor", x, dims[i], 0, lengths[i], 1);
            }
            if (t.size(dims[i]) < lengths[i]) {
                padding[2 * (t.dim() - 1 - dims[i]) + 1] = lengths[i] - t.size(dims[i]);
                pads = true;
            }
        }
        return pads ? b.call("constant_pad_nd", x, padding) : x;
    }

    static Tensor complex(Body b, Call c, boolean one) {
        Tensor t = c.tensor("self");
        int[] dims = dims(c, t);
        long[] lengths = lengths(c, t, dims);
        if (one && !t.dtype().isComplex()) {
            if (c.node().operator().contains("ifft")) {
                throw new NoRule("conjugated results");
            }
            return b.give(b.made(Fourier.ofReal(b.runtime(), resized(b, t, dims, lengths), dims, false)));
        }
        Tensor x = t.dtype().isComplex() ? t : b.let(b.call("to.dtype", t, Fourier.complex(t.dtype())));
        return b.give(b.made(Fourier.ofComplex(b.runtime(), b.let(resized(b, x, dims, lengths)), dims)));
    }

    static Tensor real(Body b, Call c) {
        Tensor t = c.tensor("self");
        int[] dims = dims(c, t);
        Tensor x = resized(b, t, dims, lengths(c, t, dims));
        return b.give(b.made(Fourier.ofReal(b.runtime(), x, dims, true)));
    }

    static Tensor inverseReal(Body b, Call c) {
        Tensor t = c.tensor("self");
        int[] dims = dims(c, t);
        int last = dims[dims.length - 1];
        long[] lengths = lengths(c, t, dims);
        long[] given = single(c) ? c.integersOrNull("n") : c.integersOrNull("s");
        long length = given == null || given[dims.length - 1] == -1 ? 2 * (t.size(last) - 1) : given[dims.length - 1];
        lengths[dims.length - 1] = length / 2 + 1;
        Tensor x = t.dtype().isComplex() ? t : b.let(b.call("to.dtype", t, Fourier.complex(t.dtype())));
        return b.give(b.made(Fourier.toReal(b.runtime(), resized(b, x, dims, lengths), dims, length)));
    }

    /** Windows that overlap, seen by strides, times the window function, transformed. */
    static Tensor shortTime(Body b, Call c) {
        Tensor t = c.tensor("self");
        if (t.dtype().isComplex() || !c.flag("return_complex", false) || !c.flag("onesided", true)) {
            throw new NoRule("a short-time transform of complex or to real numbers");
        }
        long n = c.integer("n_fft");
        long hop = c.integer("hop_length", n / 4);
        Tensor x = t.dim() == 1 ? b.call("unsqueeze", t, 0) : t;
        long frames = 1 + (x.size(1) - n) / hop;
        long[] strides = {x.stride(0), hop * x.stride(1), x.stride(1)};
        Tensor seen = b.let(b.call("as_strided", x, new long[] {x.size(0), frames, n}, strides));
        Tensor window = window(b, c, t.dtype(), n);
        if (window != null) {
            seen = b.let(b.call("mul.Tensor", seen, window));
        }
        Tensor out = b.let(b.made(Fourier.ofReal(b.runtime(), seen, new int[] {2}, true)));
        out = b.call("transpose.int", out, 1, 2);
        return b.give(t.dim() == 1 ? b.call("squeeze.dim", out, 0) : out);
    }

    /** A shorter window lies in the middle of zeros. */
    private static @Nullable Tensor window(Body b, Call c, DType type, long n) {
        Tensor given = c.tensorOrNull("window");
        if (c.integer("win_length", n) == n) {
            return given;
        }
        if (given != null && given.requiresGrad()) {
            throw new NoRule("a shorter window that is learned");
        }
        return b.let(b.made(b.runtime().empty(type, n)));
    }

    static Tensor part(Body b, Tensor t, int which) {
        if (!t.dtype().isComplex()) {
            return t;
        }
        return b.give(b.call("select.int", b.call("view_as_real", t), -1, which));
    }

    /** {@code complex}: a number of two parts, whose gradients are views of the one that comes in. */
    static Tensor joined(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("real");
        Tensor y = c.tensor("imag");
        Recorder r = rt.record("ComplexBackward0", x, y);
        r.save(y); // the code generator takes the functions real and imag of its formulas for the arguments
        r.save(x);
        DType type = Fourier.complex(x.dtype());
        Tensor out = rt.empty(type, Shapes.broadcast(x.sizes(), y.sizes()));
        return r.gradient(1, g -> Fourier.realPart(rt, g))
                .gradient(0, g -> Fourier.realPart(rt, g))
                .output(out);
    }
}
