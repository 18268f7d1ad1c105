package dev.headroom.executor.op.complex;

import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Padding;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;
import java.util.stream.IntStream;

/** {@code torch.fft} (aten/src/ATen/native/SpectralOps.cpp): signals of the lengths asked for, then one transform. */
public final class FourierOperators {
    private FourierOperators() {}

    public static void register(Operators o) {
        for (String end : new String[] {"", "2", "n"}) {
            boolean one = end.isEmpty();
            o.add1("aten.fft_fft" + end, (e, a) -> e.call(() -> complex(e, a, one, -1)));
            o.add1("aten.fft_ifft" + end, (e, a) -> e.call(() -> complex(e, a, one, 1)));
            o.add1("aten.fft_rfft" + end, (e, a) -> e.call(() -> ofReal(e, a)));
            o.add1("aten.fft_irfft" + end, (e, a) -> e.call(() -> toReal(e, a)));
        }
    }

    private static int[] dims(Arguments a, Tensor t) {
        String name = a.node().operator();
        if (!name.endsWith("2") && !name.endsWith("n")) {
            return new int[] {Layout.dimension(a.integer("dim", -1), t.dims())};
        }
        if (a.has("dim")) {
            return Arrays.stream(a.integers("dim"))
                    .mapToInt(d -> Layout.dimension(d, t.dims()))
                    .toArray();
        }
        int n = name.endsWith("2") ? 2 : a.has("s") ? a.integers("s").length : t.dims();
        return IntStream.range(t.dims() - n, t.dims()).toArray();
    }

    /** As asked for, -1 for as long as it is. */
    private static long[] lengths(Arguments a, Tensor t, int[] dims) {
        String key = a.has("n") ? "n" : "s";
        long[] given = a.integers(key);
        long[] out = new long[dims.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = given.length == 0 || given[i] == -1 ? t.size(dims[i]) : given[i];
        }
        return out;
    }

    /** What the result is multiplied by: signals and spectra share 1 / n in some way. */
    private static double scale(Arguments a, int sign, long[] lengths) {
        double n = Layout.elements(lengths);
        return switch (a.text("norm", "backward")) {
            case "ortho" -> 1 / Math.sqrt(n);
            case "forward" -> sign < 0 ? 1 / n : 1;
            default -> sign < 0 ? 1 : 1 / n;
        };
    }

    /** resize_fft_input: what is too long is sliced, what is too short is padded with zeros. */
    private static Tensor resized(Eager e, Tensor t, int[] dims, long[] lengths) {
        Tensor x = t;
        long[] padding = new long[2 * t.dims()];
        boolean pads = false;
        for (int i = 0; i < dims.length; i++) {
            if (t.size(dims[i]) > lengths[i]) {
                x = Slices.slice(e, x, dims[i], 0, lengths[i], 1);
            }
            if (t.size(dims[i]) < lengths[i]) {
                padding[2 * (t.dims() - 1 - dims[i]) + 1] = lengths[i] - t.size(dims[i]);
                pads = true;
            }
        }
        return pads ? Padding.constant(e, x, padding, 0) : x;
    }

    private static Tensor complex(Eager e, Arguments a, boolean one, int sign) {
        Tensor t = a.tensor("self");
        int[] dims = dims(a, t);
        long[] lengths = lengths(a, t, dims);
        Fourier transform = new Fourier(e, dims, sign, scale(a, sign, lengths));
        if (one && !t.dtype().isComplex()) {
            if (sign > 0) {
                throw new UserInputException("an inverse transform of real numbers is not supported by the executor");
            }
            return transform.ofReal(resized(e, t, dims, lengths), false);
        }
        Tensor x = Copies.to(e, t, t.dtype().asComplex());
        return transform.ofComplex(resized(e, x, dims, lengths));
    }

    private static Tensor ofReal(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        int[] dims = dims(a, t);
        long[] lengths = lengths(a, t, dims);
        return new Fourier(e, dims, -1, scale(a, -1, lengths)).ofReal(resized(e, t, dims, lengths), true);
    }

    private static Tensor toReal(Eager e, Arguments a) {
        Tensor t = a.tensor("self");
        int[] dims = dims(a, t);
        int last = dims.length - 1;
        long[] given = a.integers(a.has("n") ? "n" : "s");
        long[] lengths = lengths(a, t, dims);
        long length = given.length == 0 || given[last] == -1 ? 2 * (t.size(dims[last]) - 1) : given[last];
        lengths[last] = length;
        double scale = scale(a, 1, lengths);
        lengths[last] = length / 2 + 1;
        Tensor x = Copies.to(e, t, t.dtype().asComplex());
        return new Fourier(e, dims, 1, scale).toReal(resized(e, x, dims, lengths), length);
    }
}
