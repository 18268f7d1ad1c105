package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** {@code stft}: windows that overlap, seen by strides, times the window function, transformed (SpectralOps.cpp). */
public final class ShortTimeFourier {
    private ShortTimeFourier() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.stft", ShortTimeFourier::transform);
    }

    private static Tensor transform(Calls c, Arguments a) {
        Tensor t = a.tensor("self");
        long n = a.integer("n_fft", 1);
        if (t.dtype().isComplex() || !a.flag("return_complex", false) || !a.flag("onesided", true)) {
            throw new UserInputException("stft of complex or to real numbers is not supported by the executor");
        }
        long hop = a.integer("hop_length", n / 4);
        Tensor x = t.dims() == 1 ? Views.unsqueeze(c.e(), t, 0) : t;
        long frames = 1 + (x.size(1) - n) / hop;
        long[] sizes = {x.size(0), frames, n};
        long[] strides = {x.stride(0), hop * x.stride(1), x.stride(1)};
        Tensor seen = c.call("as_strided", "self", x, "size", sizes, "stride", strides);
        long length = a.integer("win_length", n);
        if (length != n) {
            seen = c.call("mul", "self", seen, "other", padded(c.e(), a.optional("window"), t.dtype(), n, length));
        } else if (a.has("window")) {
            seen = c.call("mul", "self", seen, "other", a.tensor("window"));
        }
        String norm = a.flag("normalized", false) ? "ortho" : "backward";
        Tensor spectrum = c.call("fft_rfft", "self", seen, "dim", 2, "norm", norm);
        Tensor out = Views.transpose(c.e(), spectrum, 1, 2);
        return t.dims() == 1 ? Views.squeeze(c.e(), out, 0) : out;
    }

    /** A shorter window, of ones where none is given, lies in the middle of zeros. */
    private static Tensor padded(Eager e, @Nullable Tensor window, DType type, long n, long length) {
        if (window != null && window.requiresGrad()) {
            throw new UserInputException("stft with a shorter window that is learned is not supported by the executor;"
                    + " pad it to n_fft");
        }
        Tensor out = e.empty(type, n);
        Elementwise.fill(e, out, 0);
        Tensor middle = e.alias(out, new long[] {length}, new long[] {1}, (n - length) / 2);
        if (window == null) {
            Elementwise.fill(e, middle, 1);
        } else {
            Copies.fill(e, middle, window);
        }
        e.free(middle);
        return out;
    }
}
