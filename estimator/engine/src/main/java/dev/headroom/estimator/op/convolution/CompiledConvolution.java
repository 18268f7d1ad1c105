package dev.headroom.estimator.op.convolution;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Optional;

/**
 * The workspaces of convolutions that compiled code calls. Of operands the code tells the storage alone, which may have
 * been another tensor's before; of results it tells the layout, and that is the one that the kernel runs in.
 */
public final class CompiledConvolution {
    private CompiledConvolution() {}

    /**
     * The gradient of a result in the layout of an input: itself, or a copy that the caller frees. Where code names it
     * in another shape it passes a view, which is taken for one with the channels last, as a matrix with a row for each
     * pixel is. Both lie as they say.
     */
    public static Tensor gradient(EagerRuntime rt, Tensor y, Tensor x, Tensor w) {
        MemoryFormat format = Convolution.format(x, w);
        if (ShapedParameters.of(x.sizes(), w.sizes(), y.sizes()).isPresent()) {
            return Convolution.inFormat(rt, y, format);
        }
        return format != MemoryFormat.CONTIGUOUS
                ? y
                : ShapedParameters.image(y.numel(), x.sizes(), w.sizes())
                        .map(sizes -> rt.empty(y.dtype(), sizes))
                        .orElse(y);
    }

    /** Of {@code y}, made from {@code x}. */
    public static void forward(EagerRuntime rt, Tensor x, Tensor w, Tensor y) {
        run(rt, Direction.FORWARD, Direction.DATA, x, w, y, Convolution.format(y));
    }

    /** Of the gradient {@code x} of an input, made from the one of the result. */
    public static void inputGradient(EagerRuntime rt, Tensor x, Tensor w, Tensor y) {
        run(rt, Direction.DATA, Direction.FORWARD, x, w, y, Convolution.format(x));
    }

    /** Of the gradient {@code w} of a weight. */
    public static void weightGradient(EagerRuntime rt, Tensor x, Tensor w, Tensor y) {
        run(rt, Direction.FILTER, Direction.FILTER, x, w, y, Convolution.format(w));
    }

    private static void run(
            EagerRuntime rt,
            Direction plain,
            Direction transposed,
            Tensor x0,
            Tensor w0,
            Tensor y0,
            MemoryFormat format) {
        Tensor x = Convolution.planar(rt, x0);
        Tensor w = Convolution.planar(rt, w0);
        Tensor y = Convolution.planar(rt, y0);
        Optional<Convolution.Parameters> found = ShapedParameters.of(x.sizes(), w.sizes(), y.sizes());
        found.filter(p -> !DepthwiseConvolution.chosen(x, w, p)).ifPresent(p -> {
            boolean channelsLast = format != MemoryFormat.CONTIGUOUS;
            if (p.transposed()) {
                ConvolutionPlans.run(rt, transposed, channelsLast, y, w, x, p);
            } else {
                ConvolutionPlans.run(rt, plain, channelsLast, x, w, y, p);
            }
        });
        rt.freeUnless(x, x0);
        rt.freeUnless(w, w0);
        rt.freeUnless(y, y0);
    }
}
