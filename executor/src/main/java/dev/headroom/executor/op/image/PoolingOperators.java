package dev.headroom.executor.op.image;

import dev.headroom.executor.kernel.PoolingKernels.Window;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Arrays;

/** {@code aten.max_pool2d} and its like. */
public final class PoolingOperators {
    private PoolingOperators() {}

    public static void register(Operators o) {
        o.add1("aten.max_pool2d", (e, a) -> max(e, a)[0]);
        o.add("aten.max_pool2d_with_indices", PoolingOperators::max);
        o.add1("aten.avg_pool2d", (e, a) -> {
            Tensor x = planes(a.tensor("self"));
            return Poolings.average(
                    e,
                    x,
                    window(a),
                    a.flag("ceil_mode", false),
                    a.flag("count_include_pad", true),
                    a.integer("divisor_override", 0));
        });
        o.add1("aten.adaptive_avg_pool2d", (e, a) -> {
            Tensor x = planes(a.tensor("self"));
            long[] size = ConvolutionOperators.each(a.integers("output_size"), 2);
            return Poolings.adaptiveAverage(e, x, size);
        });
    }

    private static Tensor[] max(Eager e, Arguments a) {
        return Poolings.max(e, planes(a.tensor("self")), window(a), a.flag("ceil_mode", false));
    }

    private static Tensor planes(Tensor x) {
        if (x.dims() != 3 && x.dims() != 4) {
            throw new UserInputException(
                    "pooling of an input of shape " + Arrays.toString(x.sizes()) + "; it must have 3 or 4 dimensions");
        }
        return x;
    }

    private static Window window(Arguments a) {
        return window(a, 2);
    }

    /** The window over the last dimensions, so many. */
    static Window window(Arguments a, int dims) {
        long[] kernel = ConvolutionOperators.each(a.integers("kernel_size"), dims);
        long[] stride = a.integers("stride");
        return new Window(
                kernel,
                stride.length == 0 ? kernel : ConvolutionOperators.each(stride, dims),
                ConvolutionOperators.each(a.integers("padding", 0), dims),
                ConvolutionOperators.each(a.integers("dilation", 1), dims));
    }
}
