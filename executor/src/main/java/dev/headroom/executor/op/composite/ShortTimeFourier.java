package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;

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
        if (a.integer("win_length", n) != n) {
            throw new UserInputException("stft with a shorter window is not supported by the executor");
        }
        long hop = a.integer("hop_length", n / 4);
        Tensor x = t.dims() == 1 ? Views.unsqueeze(c.e(), t, 0) : t;
        long frames = 1 + (x.size(1) - n) / hop;
        long[] sizes = {x.size(0), frames, n};
        long[] strides = {x.stride(0), hop * x.stride(1), x.stride(1)};
        Tensor seen = c.call("as_strided", "self", x, "size", sizes, "stride", strides);
        if (a.has("window")) {
            seen = c.call("mul", "self", seen, "other", a.tensor("window"));
        }
        String norm = a.flag("normalized", false) ? "ortho" : "backward";
        Tensor spectrum = c.call("fft_rfft", "self", seen, "dim", 2, "norm", norm);
        Tensor out = Views.transpose(c.e(), spectrum, 1, 2);
        return t.dims() == 1 ? Views.squeeze(c.e(), out, 0) : out;
    }
}
