package dev.headroom.executor.op.composite;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.op.shape.WindowOperators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;

/** {@code istft}: windowed frames that overlap, over the windows' squares that do (SpectralOps.cpp). */
final class ShortTimeInverse {
    private ShortTimeInverse() {}

    static void register(Operators o) {
        Calls.add(o, "aten.istft", ShortTimeInverse::transform);
    }

    private static Tensor transform(Calls c, Arguments a) {
        Eager e = c.e();
        Tensor t = a.tensor("self");
        long n = a.integer("n_fft", 1);
        if (a.flag("return_complex", false) || t.size(-2) == n) {
            throw new UserInputException("istft to complex numbers or of two sides is not supported by the executor");
        }
        long hop = a.integer("hop_length", n / 4);
        long length = n + hop * (t.size(-1) - 1);
        boolean one = t.dims() == 2;
        Tensor window = window(c, a, n, t.dtype().ofParts());
        Tensor parts = c.call("view_as_real", "self", t);
        Tensor turned = Views.transpose(e, one ? Views.unsqueeze(e, parts, 0) : parts, 1, 2);
        Tensor frames = c.call("view_as_complex", "self", turned);
        String norm = a.flag("normalized", false) ? "ortho" : "backward";
        Tensor signals = c.call("fft_irfft", "self", frames, "n", n, "dim", 2, "norm", norm);
        Tensor weighted = c.call("mul", "self", signals, "other", Views.view(e, window, 1, 1, n));
        Tensor whole = added(e, weighted, n, hop);
        Tensor squares = c.call("pow", "self", window, "exponent", 2);
        if (!a.has("window") || window != a.tensor("window")) {
            e.free(window);
        }
        Tensor envelope = added(e, Views.expand(e, squares, new long[] {1, t.size(-1), n}), n, hop);
        boolean center = a.flag("center", true);
        long start = center ? n / 2 : 0;
        long end = a.has("length") ? start + a.integer("length", 0) : length - start;
        Tensor sum = part(e, whole, start, Math.min(end, length));
        Tensor over = part(e, envelope, start, Math.min(end, length));
        Tensor zero = look(c, over);
        Tensor out = c.call("div", "self", sum, "other", over);
        e.free(sum);
        e.free(whole);
        if (end > length) {
            Tensor quotient = out;
            out = c.call("constant_pad_nd", "self", quotient, "pad", new long[] {0, end - length}, "value", 0.0);
            e.free(quotient);
        }
        Tensor result = one ? Views.squeeze(e, out, 0) : out;
        // Variables end in the reverse order of their declarations, and the window was declared before the frames.
        for (Tensor variable : new Tensor[] {zero, over, envelope, weighted}) {
            e.free(variable);
        }
        return result;
    }

    /** Ones where none is given; a shorter one is padded on both sides. */
    private static Tensor window(Calls c, Arguments a, long n, DType type) {
        long length = a.integer("win_length", n);
        Tensor window = a.optional("window");
        if (window == null) {
            window = c.e().empty(type, length);
            Elementwise.fill(c.e(), window, 1);
        }
        if (length == n) {
            return window;
        }
        long left = (n - length) / 2;
        Tensor padded =
                c.call("constant_pad_nd", "self", window, "pad", new long[] {left, n - length - left}, "value", 0.0);
        if (!a.has("window")) {
            c.e().free(window);
        }
        return padded;
    }

    /** A slice, also where it is of everything. */
    private static Tensor part(Eager e, Tensor t, long start, long end) {
        long[] whole = t.sizes();
        long[] sizes = {t.size(0), end - start};
        return e.record("SliceBackward0", t)
                .backward(g -> {
                    Tensor out = Slices.zeros(e, g[0], whole);
                    Tensor into = e.alias(out, sizes, out.strides(), start);
                    Copies.fill(e, into, g[0]);
                    e.free(into);
                    return new Tensor[] {out};
                })
                .output(e.view(t, sizes, t.strides(), t.offset() + start));
    }

    /** Whether the windows' sum is zero somewhere. */
    private static Tensor look(Calls c, Tensor envelope) {
        Eager e = c.e();
        Tensor magnitude = c.call("abs", "self", envelope);
        Tensor least = c.call("min", "self", magnitude);
        Tensor zero = e.empty(DType.BOOL);
        e.free(least);
        e.free(magnitude);
        try (var s = e.open()) {
            for (int i = 0; i < 3; i++) {
                e.empty(DType.BOOL); // true, whether it is equal to that, whether all is
            }
        }
        return zero;
    }

    /** {@code unfold_backward}: frames added where they lie. */
    private static Tensor added(Eager e, Tensor t, long n, long hop) {
        Recorder r = e.record("UnfoldBackwardBackward0", t);
        long length = n + hop * (t.size(1) - 1);
        Tensor out = WindowOperators.folded(e, t, new long[] {t.size(0), length}, 1, n, hop);
        return r.backward(g -> new Tensor[] {WindowOperators.unfold(e, g[0], 1, n, hop)})
                .output(out);
    }
}
