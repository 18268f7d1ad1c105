package dev.headroom.ops;

import dev.headroom.graph.GraphException;
import dev.headroom.graph.MemoryFormat;
import dev.headroom.shadow.Recording;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Saved;
import dev.headroom.shadow.Tensor;
import java.util.Arrays;

/** Convolutions of any rank through cuDNN (ATen/native/Convolution.cpp, ATen/native/cudnn/ConvShared.cpp). */
final class Convolution {
    /**
     * What a convolution is called with; one entry a spatial dimension.
     *
     * @param outputPadding of transposed convolutions
     */
    record Parameters(
            long[] stride, long[] padding, long[] dilation, boolean transposed, long[] outputPadding, long groups) {}

    private Convolution() {}

    /** {@code conv_output_size} and {@code conv_input_size} (ATen/native/ConvUtils.h). */
    static long[] outputSizes(Tensor x, Tensor w, Parameters p) {
        int n = x.dim();
        long[] out = new long[n];
        out[0] = x.size(0);
        out[1] = p.transposed ? w.size(1) * p.groups : w.size(0);
        for (int d = 2; d < n; d++) {
            int i = d - 2;
            long kernel = p.dilation[i] * (w.size(d) - 1);
            out[d] = p.transposed
                    ? (x.size(d) - 1) * p.stride[i] - 2 * p.padding[i] + kernel + p.outputPadding[i] + 1
                    : (x.size(d) + 2 * p.padding[i] - kernel - 1) / p.stride[i] + 1;
            if (out[d] <= 0) {
                throw new GraphException("convolution of " + Arrays.toString(x.sizes()) + " with kernel "
                        + Arrays.toString(w.sizes()) + " has no output: the input is too small");
            }
        }
        return out;
    }

    /** {@code cudnn_conv_suggest_memory_format}: channels last when either operand is. */
    private static MemoryFormat format(Tensor x, Tensor w) {
        boolean channelsLast = suggestsChannelsLast(x) || suggestsChannelsLast(w);
        if (!channelsLast) {
            return MemoryFormat.CONTIGUOUS;
        }
        return x.dim() == 5 ? MemoryFormat.CHANNELS_LAST_3D : MemoryFormat.CHANNELS_LAST;
    }

    static boolean suggestsChannelsLast(Tensor t) {
        return !t.isContiguous() && dev.headroom.shadow.Shapes.isChannelsLastStrides(t.sizes(), t.strides());
    }

    private static Tensor fresh(Runtime rt, Tensor like, long[] sizes, MemoryFormat format) {
        return format == MemoryFormat.CONTIGUOUS
                ? rt.empty(like.dtype(), sizes)
                : rt.emptyStrided(like.dtype(), sizes, dev.headroom.shadow.Shapes.channelsLast(sizes));
    }

    private static void workspace(Runtime rt) {
        long bytes = rt.options().cudnnWorkspace();
        if (bytes > 0) {
            rt.free(rt.workspace(bytes));
        }
    }

    /** {@code aten::convolution}: the input with a batch dimension. */
    static Tensor convolution(Runtime rt, Tensor x, Tensor w, Tensor bias, Parameters p) {
        Recording r = rt.record("ConvolutionBackward0", x, w, bias);
        Saved sx = r == null ? null : r.save(x);
        Saved sw = r == null ? null : r.save(w);
        Tensor out = forward(rt, x, w, p);
        if (r != null) {
            r.gradients(grads -> backward(rt, r, grads[0], sx, sw, p)).output(out);
        }
        return out;
    }

    private static Tensor forward(Runtime rt, Tensor x0, Tensor w0, Parameters p) {
        // One-dimensional convolutions run as two-dimensional ones; cuDNN sees contiguous operands.
        // The result comes before the copies (ATen/native/cudnn/ConvShared.cpp, cudnn_convolution_forward).
        MemoryFormat format = format(x0, w0);
        Tensor out = fresh(rt, x0, outputSizes(x0, w0, p), format);
        Tensor w = Copies.contiguous(rt, w0, format);
        Tensor x = Copies.contiguous(rt, x0, format);
        workspace(rt);
        drop(rt, x, x0);
        drop(rt, w, w0);
        return out;
    }

    private static void drop(Runtime rt, Tensor copy, Tensor original) {
        if (copy != original) {
            rt.free(copy);
        }
    }

    /** {@code convolution_backward}: the input's gradient, the weight's, the bias's. */
    private static Tensor[] backward(Runtime rt, Recording r, Tensor g0, Saved sx, Saved sw, Parameters p) {
        Tensor[] out = new Tensor[3];
        if (g0 == null) {
            return out;
        }
        Tensor x0 = sx.get();
        Tensor w0 = sw.get();
        // ATen/native/cudnn/ConvShared.cpp, cudnn_convolution_backward: each product copies what it reads.
        Tensor g = Copies.contiguous(rt, g0, format(x0, x0));
        if (r.needs(0)) {
            MemoryFormat format = format(g, w0);
            out[0] = fresh(rt, g, x0.sizes(), format);
            Tensor w = Copies.contiguous(rt, w0, format);
            Tensor read = Copies.contiguous(rt, g, format);
            workspace(rt);
            drop(rt, read, g);
            drop(rt, w, w0);
        }
        if (r.needs(1)) {
            MemoryFormat format = format(x0, g);
            Tensor read = Copies.contiguous(rt, g, format);
            Tensor x = Copies.contiguous(rt, x0, format);
            out[1] = fresh(rt, g, w0.sizes(), format);
            workspace(rt);
            drop(rt, x, x0);
            drop(rt, read, g);
        }
        drop(rt, g, g0);
        if (r.needs(2)) {
            boolean[] mask = new boolean[g0.dim()];
            Arrays.fill(mask, true);
            mask[1] = false;
            out[2] = Reductions.reduce(rt, g0, mask, false, g0.dtype(), Reductions.accumulator(g0.dtype()));
        }
        return out;
    }
}
