package dev.headroom.estimator.op.convolution;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Dimensions;
import dev.headroom.model.graph.MemoryFormat;
import dev.headroom.model.graph.Shapes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Convolutions of any rank through cuDNN (ATen/native/Convolution.cpp, ATen/native/cudnn/ConvShared.cpp). */
final class Convolution {
    /**
     * What a convolution is called with; one entry a spatial dimension.
     *
     * @param outputPadding of transposed convolutions
     */
    record Parameters(
            long[] stride, long[] padding, long[] dilation, boolean transposed, long[] outputPadding, long groups) {
        /** Of a result in a spatial dimension. */
        long outputSize(int dimension, long from, long kernel) {
            long reach = dilation[dimension] * (kernel - 1);
            return transposed
                    ? (from - 1) * stride[dimension] - 2 * padding[dimension] + reach + outputPadding[dimension] + 1
                    : (from + 2 * padding[dimension] - reach - 1) / stride[dimension] + 1;
        }

        /** {@code view1d_as_2d}. */
        Parameters asTwoDimensional() {
            return new Parameters(
                    Dimensions.with(stride, 0, 1),
                    Dimensions.with(padding, 0, 0),
                    Dimensions.with(dilation, 0, 1),
                    transposed,
                    Dimensions.with(outputPadding, 0, 0),
                    groups);
        }
    }

    private Convolution() {}

    /** {@code conv_output_size} and {@code conv_input_size} (ATen/native/ConvUtils.h). */
    static long[] outputSizes(Tensor x, Tensor w, Parameters p) {
        int n = x.dim();
        long[] out = new long[n];
        out[0] = x.size(0);
        out[1] = p.transposed ? w.size(1) * p.groups : w.size(0);
        for (int d = 2; d < n; d++) {
            out[d] = p.outputSize(d - 2, x.size(d), w.size(d));
            if (out[d] <= 0) {
                throw new UserInputException("convolution of " + Arrays.toString(x.sizes()) + " with kernel "
                        + Arrays.toString(w.sizes()) + " has no output: the input is too small");
            }
        }
        return out;
    }

    /** {@code cudnn_conv_suggest_memory_format}: channels last when either operand is, but not for float64. */
    static MemoryFormat format(Tensor x, Tensor w) {
        boolean channelsLast = (Copies.suggestsChannelsLast(x) || Copies.suggestsChannelsLast(w))
                && x.dtype() != DType.FLOAT64
                && w.dtype() != DType.FLOAT64;
        if (!channelsLast) {
            return MemoryFormat.CONTIGUOUS;
        }
        return x.dim() == 5 ? MemoryFormat.CHANNELS_LAST_3D : MemoryFormat.CHANNELS_LAST;
    }

    static MemoryFormat format(Tensor t) {
        if (!Copies.suggestsChannelsLast(t)) {
            return MemoryFormat.CONTIGUOUS;
        }
        return t.dim() == 5 ? MemoryFormat.CHANNELS_LAST_3D : MemoryFormat.CHANNELS_LAST;
    }

    /** {@code aten::convolution}: the input with a batch dimension. */
    static Tensor convolution(EagerRuntime rt, Tensor x, Tensor w, @Nullable Tensor bias, Parameters p) {
        Recorder r = rt.record("ConvolutionBackward0", x, w, bias);
        Saved sx = r.save(x);
        Saved sw = r.save(w);
        Tensor out;
        try (Frame operator = rt.frame()) {
            out = operator.keep(forward(rt, x, w, p));
        }
        return r.gradients(grads -> backward(rt, r, grads[0], sx, sw, p))
                .again(grads -> ConvolutionTwice.backward(
                        rt, grads[0], sx.get(), sw.get(), p, () -> backward(rt, r, grads[0], sx, sw, p)))
                .output(out);
    }

    /** {@code _convolution}; one-dimensional ones run as two-dimensional ones, from a contiguous input. */
    private static Tensor forward(EagerRuntime rt, Tensor x0, Tensor w0, Parameters p0) {
        boolean line = x0.dim() == 3;
        Parameters p = line ? p0.asTwoDimensional() : p0;
        Tensor x = line ? view4d(rt, Copies.contiguous(rt, x0)) : x0;
        Tensor w = line ? view4d(rt, w0) : w0;
        Tensor out;
        if (DepthwiseConvolution.chosen(x, w, p)) {
            out = DepthwiseConvolution.forward(rt, x, w, outputSizes(x, w, p));
        } else {
            Tensor input = Copies.contiguous(rt, x, format(x, w));
            out = p.transposed
                    ? backwardInput(rt, outputSizes(x, w, p), input, w, p)
                    : forwardKernel(rt, input, w, outputSizes(x, w, p), p, format(x, w));
            rt.freeUnless(input, x);
        }
        return line ? view3d(rt, out) : out;
    }

    /** Itself, or a copy in another format. */
    static Tensor inFormat(EagerRuntime rt, Tensor t, MemoryFormat format) {
        return format(t) == format ? t : Copies.clone(rt, t, format);
    }

    /** A line as an image of one row, anything else as it is. */
    static Tensor planar(EagerRuntime rt, Tensor t) {
        return t.dim() == 3 ? view4d(rt, t) : t;
    }

    private static Tensor view4d(EagerRuntime rt, Tensor t) {
        return rt.reinterpret(
                t, Dimensions.with(t.sizes(), 2, 1), Dimensions.with(t.strides(), 2, t.size(2) * t.stride(2)), 0);
    }

    private static Tensor view3d(EagerRuntime rt, Tensor t) {
        return rt.reinterpret(t, Dimensions.without(t.sizes(), 2), Dimensions.without(t.strides(), 2), 0);
    }

    /** {@code cudnn_convolution_forward}: the result before the weight is made contiguous. */
    private static Tensor forwardKernel(
            EagerRuntime rt, Tensor x, Tensor w, long[] sizes, Parameters p, MemoryFormat format) {
        Tensor out = fresh(rt, x, sizes, format);
        Tensor weight = Copies.contiguous(rt, w, format);
        ConvolutionPlans.run(rt, Direction.FORWARD, format != MemoryFormat.CONTIGUOUS, x, weight, out, p);
        rt.freeUnless(weight, w);
        return out;
    }

    /** {@code cudnn_convolution_backward_input}. */
    private static Tensor backwardInput(EagerRuntime rt, long[] sizes, Tensor g, Tensor w, Parameters p) {
        MemoryFormat format = format(g, w);
        Tensor out = fresh(rt, g, sizes, format);
        Tensor weight = Copies.contiguous(rt, w, format);
        Tensor gradient = Copies.contiguous(rt, g, format);
        ConvolutionPlans.run(rt, Direction.DATA, format != MemoryFormat.CONTIGUOUS, out, weight, gradient, p);
        rt.freeUnless(gradient, g);
        rt.freeUnless(weight, w);
        return out;
    }

    /** {@code cudnn_convolution_backward_weight}. */
    private static Tensor backwardWeight(EagerRuntime rt, long[] sizes, Tensor g, Tensor x, Parameters p) {
        MemoryFormat format = format(x, g);
        Tensor gradient = Copies.contiguous(rt, g, format);
        Tensor input = Copies.contiguous(rt, x, format);
        Tensor out = fresh(rt, g, sizes, format);
        ConvolutionPlans.run(rt, Direction.FILTER, format != MemoryFormat.CONTIGUOUS, input, out, gradient, p);
        rt.freeUnless(input, x);
        rt.freeUnless(gradient, g);
        return out;
    }

    private static Tensor fresh(EagerRuntime rt, Tensor like, long[] sizes, MemoryFormat format) {
        return format == MemoryFormat.CONTIGUOUS
                ? rt.empty(like.dtype(), sizes)
                : rt.emptyStrided(like.dtype(), sizes, Shapes.channelsLast(sizes));
    }

    /** {@code convolution_backward}: the input's gradient, the weight's, then the bias's. */
    private static Tensor[] backward(EagerRuntime rt, Recorder r, Tensor g0, Saved sx, Saved sw, Parameters p0) {
        Tensor[] out = new Tensor[3];
        if (g0 == null) {
            return out;
        }
        boolean line = g0.dim() == 3;
        Parameters p = line ? p0.asTwoDimensional() : p0;
        Tensor x = line ? view4d(rt, Copies.contiguous(rt, sx.get())) : sx.get();
        Tensor g = line ? view4d(rt, g0) : g0;
        Tensor w = line ? view4d(rt, sw.get()) : sw.get();
        if (DepthwiseConvolution.chosen(x, w, p)) {
            DepthwiseConvolution.backward(rt, r, g, x, w, out);
        } else {
            Tensor input = Copies.contiguous(rt, x, format(x, w));
            Tensor gradient = p.transposed ? Copies.contiguous(rt, g, format(input)) : inFormat(rt, g, format(input));
            if (r.needs(0)) {
                out[0] = p.transposed
                        // what it reads decides alone
                        ? forwardKernel(rt, gradient, w, input.sizes(), p, format(gradient, gradient))
                        : backwardInput(rt, input.sizes(), gradient, w, p);
            }
            if (r.needs(1)) {
                out[1] = p.transposed
                        ? backwardWeight(rt, w.sizes(), input, gradient, p)
                        : backwardWeight(rt, w.sizes(), gradient, input, p);
            }
            rt.freeUnless(gradient, g);
            rt.freeUnless(input, x);
        }
        if (r.needs(2)) {
            boolean[] mask = new boolean[g.dim()];
            Arrays.fill(mask, true);
            mask[1] = false;
            out[2] = Reductions.reduce(rt, g, mask, false, g.dtype(), Reductions.accumulator(g.dtype()));
        }
        for (int i = 0; line && i < 2; i++) {
            out[i] = out[i] == null ? null : view3d(rt, out[i]);
        }
        return out;
    }
}
