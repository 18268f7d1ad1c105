package dev.headroom.estimator.op.convolution;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.IndexMath;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

/** PyTorch's own depthwise kernels, and when they run instead of cuDNN's (ATen/native/Convolution.cpp). */
final class DepthwiseConvolution {
    private DepthwiseConvolution() {}

    /** {@code _select_conv_backend}: depthwise and not {@code use_cudnn_depthwise}. Four or five dimensions. */
    static boolean chosen(Tensor x, Tensor w, Convolution.Parameters p) {
        boolean depthwise = !p.transposed() && p.groups() > 1 && x.size(1) == p.groups() && w.size(0) % x.size(1) == 0;
        return depthwise && !cudnn(x, w, p);
    }

    private static boolean cudnn(Tensor x, Tensor w, Convolution.Parameters p) {
        if (!IndexMath.fits32Bits(x) || !IndexMath.fits32Bits(w)) {
            return true;
        }
        if (Convolution.format(x, w) != MemoryFormat.CONTIGUOUS) {
            return true;
        }
        boolean dilated = false;
        for (long d : p.dilation()) {
            dilated |= d != 1;
        }
        boolean candidate = x.dtype() == DType.FLOAT16
                && w.dtype() == DType.FLOAT16
                && x.dim() == 4
                && !dilated
                && (p.stride()[0] == p.stride()[1] || x.size(2) == 1)
                && x.size(1) >= 32;
        return candidate && worthwhile(x, w, p.stride()[1]);
    }

    /** {@code check_cudnn_depthwise_workload_with_filter}. */
    private static boolean worthwhile(Tensor x, Tensor w, long stride) {
        if (x.size(2) == 1 && stride == 1) {
            return true;
        }
        long filter = w.size(3);
        long width = x.size(3);
        if (w.size(2) != filter || filter != 1 && filter != 3 && filter != 5 || width < 7) {
            return false;
        }
        if (stride != 2) {
            return stride == 1;
        }
        long channels = x.size(1);
        long batch = x.size(0);
        if (batch == 1) {
            return filter != 1 || width <= 28;
        }
        return filter == 1
                ? batch <= 16 && channels >= 128 && width <= 7
                : channels >= 512 || channels >= 256 && width >= 28;
    }

    /**
     * {@code _conv_depthwise2d} and {@code conv_depthwise3d} (ATen/native/cuda/DepthwiseConv2d.cu,
     * DepthwiseConv3d.cu).
     */
    static Tensor forward(EagerRuntime rt, Tensor x, Tensor w, long[] sizes) {
        Tensor input = Copies.contiguous(rt, x);
        Tensor out = rt.empty(x.dtype(), sizes);
        rt.freeUnless(input, x);
        return out;
    }

    /** In two dimensions the weight's gradient comes first. */
    static void backward(EagerRuntime rt, Recorder r, Tensor g, Tensor x, Tensor w, Tensor[] out) {
        Tensor input = Copies.contiguous(rt, x);
        Tensor gradient = Copies.contiguous(rt, g);
        int[] order = x.dim() == 4 ? new int[] {1, 0} : new int[] {0, 1};
        for (int i : order) {
            if (r.needs(i)) {
                out[i] = rt.empty(g.dtype(), (i == 0 ? x : w).sizes());
            }
        }
        rt.freeUnless(gradient, g);
        rt.freeUnless(input, x);
    }
}
