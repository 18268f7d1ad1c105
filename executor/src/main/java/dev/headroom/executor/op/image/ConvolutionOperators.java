package dev.headroom.executor.op.image;

import dev.headroom.executor.kernel.ConvolutionKernels.Geometry;
import dev.headroom.executor.op.basic.Padding;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;

/** {@code aten.conv2d} and its like. */
public final class ConvolutionOperators {
    private ConvolutionOperators() {}

    public static void register(Operators o) {
        for (int dims = 1; dims <= 3; dims++) {
            int spatial = dims;
            o.add1("aten.conv" + dims + "d", (e, a) -> forward(e, a, spatial));
            o.add1("aten.conv_transpose" + dims + "d", (e, a) -> transposed(e, a, spatial));
        }
        o.add1("aten.convolution", ConvolutionOperators::general);
    }

    private static Tensor forward(Eager e, Arguments a, int spatial) {
        Tensor weight = a.tensor("weight");
        long[] stride = each(a.integers("stride", 1), spatial);
        long[] dilation = each(a.integers("dilation", 1), spatial);
        String named = a.text("padding", "");
        long[] padding = each(a.integers(named.isEmpty() ? "padding" : "", 0), spatial);
        Tensor x = a.tensor("input");
        if (named.equals("same")) {
            return same(e, a, x, weight, dilation, spatial);
        }
        return of(e, a, x, spec(stride, padding, dilation, a.integer("groups", 1)), spatial);
    }

    /** _convolution_same: what cannot be shared evenly between both sides is padded before, at the end. */
    private static Tensor same(Eager e, Arguments a, Tensor x, Tensor weight, long[] dilation, int spatial) {
        long[] padding = new long[spatial];
        long[] before = new long[2 * spatial];
        boolean uneven = false;
        for (int i = 0; i < spatial; i++) {
            long total = dilation[i] * (weight.size(2 + i) - 1);
            padding[i] = total / 2;
            before[2 * (spatial - 1 - i) + 1] = total % 2;
            uneven |= total % 2 != 0;
        }
        Tensor padded = uneven ? Padding.constant(e, x, before, 0) : x;
        Tensor out = of(
                e, a, padded, spec(each(new long[] {1}, spatial), padding, dilation, a.integer("groups", 1)), spatial);
        e.freeUnless(padded, x);
        return out;
    }

    private static Tensor transposed(Eager e, Arguments a, int spatial) {
        Geometry g = new Geometry(
                each(a.integers("stride", 1), spatial),
                each(a.integers("padding", 0), spatial),
                each(a.integers("dilation", 1), spatial),
                a.integer("groups", 1));
        var spec = new Convolutions.Spec(g, true, each(a.integers("output_padding", 0), spatial));
        return of(e, a, a.tensor("input"), spec, spatial);
    }

    private static Tensor general(Eager e, Arguments a) {
        int spatial = a.tensor("weight").dims() - 2;
        Geometry g = new Geometry(
                each(a.integers("stride", 1), spatial),
                each(a.integers("padding", 0), spatial),
                each(a.integers("dilation", 1), spatial),
                a.integer("groups", 1));
        var spec =
                new Convolutions.Spec(g, a.flag("transposed", false), each(a.integers("output_padding", 0), spatial));
        return of(e, a, a.tensor("input"), spec, spatial);
    }

    private static Convolutions.Spec spec(long[] stride, long[] padding, long[] dilation, long groups) {
        return new Convolutions.Spec(new Geometry(stride, padding, dilation, groups), false, new long[stride.length]);
    }

    /** A convolution of a batch, or of a single sample as a batch of one. */
    private static Tensor of(Eager e, Arguments a, Tensor x, Convolutions.Spec spec, int spatial) {
        Tensor weight = a.tensor("weight");
        Tensor bias = a.optional("bias");
        if (x.dims() != spatial + 1) {
            return Convolutions.convolution(e, x, weight, bias, spec);
        }
        return e.call(
                () -> Views.squeeze(e, Convolutions.convolution(e, Views.unsqueeze(e, x, 0), weight, bias, spec), 0));
    }

    /** One number stands for all dimensions. */
    static long[] each(long[] given, int n) {
        if (given.length == n) {
            return given;
        }
        long[] out = new long[n];
        Arrays.fill(out, given[0]);
        return out;
    }
}
