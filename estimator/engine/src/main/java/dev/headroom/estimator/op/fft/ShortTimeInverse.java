package dev.headroom.estimator.op.fft;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** {@code istft} (ATen/native/SpectralOps.cpp): sums of frames that overlap, over those of the windows' squares. */
final class ShortTimeInverse {
    private ShortTimeInverse() {}

    static Tensor run(Body b, Call c) {
        EagerRuntime rt = b.runtime();
        Tensor t = c.tensor("self");
        long n = c.integer("n_fft");
        if (c.flag("return_complex", false) || !c.flag("onesided", t.size(-2) != n)) {
            throw new NoRule("an inverse short-time transform to complex numbers, or of two sides");
        }
        long hop = c.integer("hop_length", n / 4);
        long length = n + hop * (t.size(-1) - 1);
        boolean one = t.dim() == 2;
        Tensor window = window(b, c, n, Fourier.real(t.dtype()));
        Tensor parts = b.call("view_as_real", t);
        Tensor turned = b.call("transpose.int", one ? b.call("unsqueeze", parts, 0) : parts, 1, 2);
        Tensor frames = b.call("view_as_complex", turned);
        Tensor signals = b.let(b.made(Fourier.toReal(rt, frames, new int[] {2}, n)));
        Tensor weighted = b.let(b.call("mul.Tensor", signals, b.call("view", window, new long[] {1, 1, n})));
        Tensor sum = b.let(b.made(added(b, weighted, n, hop)));
        Tensor squares = b.call("expand", b.call("pow.Tensor_Scalar", window, 2), new long[] {1, t.size(-1), n});
        b.let(squares);
        b.drop(window);
        Tensor envelope = b.let(b.made(added(b, squares, n, hop)));
        boolean center = c.flag("center", true);
        long start = center ? n / 2 : 0;
        long end = c.has("length") ? start + c.integer("length") : center ? length - n / 2 : length;
        sum = b.assign(sum, b.call("slice.Tensor", sum, 1, start, end, 1));
        envelope = b.assign(envelope, b.call("slice.Tensor", envelope, 1, start, end, 1));
        Tensor lowest = b.let(b.call("lt.Scalar", b.call("min", b.call("abs", envelope)), 0));
        for (int i = 0; i < 3; i++) {
            b.made(rt.empty(DType.BOOL)); // is_scalar_tensor_true: true, whether it is equal, whether all is
        }
        b.end();
        Tensor out = b.assign(sum, b.call("div.Tensor", sum, envelope));
        if (one) {
            out = b.assign(out, b.call("squeeze.dim", out, 0));
        }
        if (end > length) {
            out = b.assign(out, b.call("constant_pad_nd", out, new long[] {0, end - length}, 0));
        }
        b.drop(lowest);
        b.drop(envelope);
        b.drop(weighted);
        b.drop(squares);
        return b.give(out);
    }

    /** {@code unfold_backward}, with the help of places where frames overlap; its gradient are the frames again. */
    private static Tensor added(Body b, Tensor t, long n, long hop) {
        EagerRuntime rt = b.runtime();
        Recorder r = rt.record("UnfoldBackwardBackward0", t);
        long length = n + hop * (t.size(1) - 1);
        Tensor out = rt.empty(t.dtype(), t.size(0), length);
        rt.free(hop >= n ? null : rt.empty(DType.INT64, length));
        Body backward = b.another();
        return r.gradient(0, g -> backward.give(backward.call("unfold", g, 1, n, hop)))
                .output(out);
    }

    /** Ones where none is given; a shorter one is padded on both sides. */
    private static Tensor window(Body b, Call c, long n, DType type) {
        long length = c.integer("win_length", n);
        Tensor window = c.has("window") ? c.tensor("window") : b.let(b.call("ones", new long[] {length}, type));
        if (length == n) {
            return window;
        }
        long left = (n - length) / 2;
        Tensor padded = b.let(b.call("constant_pad_nd", window, new long[] {left, n - length - left}, 0));
        b.drop(window);
        return padded;
    }
}
