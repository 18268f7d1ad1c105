package dev.headroom.executor.op.image;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;

/** Which convolutions PyTorch computes itself (Convolution.cpp, is_depthwise and use_cudnn_depthwise). */
final class ConvolutionChoice {
    private ConvolutionChoice() {}

    /** Whether it is a depthwise convolution that cuDNN is not asked for. */
    static boolean isNativeDepthwise(Tensor x, Tensor weight, Convolutions.Spec spec) {
        long groups = spec.geometry().groups();
        boolean depthwise = !spec.transposed() && groups > 1 && x.size(1) == groups && weight.size(0) % x.size(1) == 0;
        return depthwise && !isForLibrary(x, weight, spec);
    }

    private static boolean isForLibrary(Tensor x, Tensor weight, Convolutions.Spec spec) {
        if (Convolutions.format(x, weight) != MemoryFormat.CONTIGUOUS) {
            return true;
        }
        var g = spec.geometry();
        boolean suits = x.dtype() == DType.FLOAT16
                && weight.dtype() == DType.FLOAT16
                && x.dims() == 4
                && g.dilation()[0] == 1
                && g.dilation()[1] == 1
                && (g.stride()[0] == g.stride()[1] || x.size(2) == 1)
                && x.size(1) >= 32;
        return suits && isFasterThere(x, weight, g.stride()[1]);
    }

    /** check_cudnn_depthwise_workload_with_filter. */
    private static boolean isFasterThere(Tensor x, Tensor weight, long stride) {
        if (x.size(2) == 1 && stride == 1) {
            return true;
        }
        long filter = weight.size(3);
        long width = x.size(3);
        boolean known = weight.size(2) == filter && (filter == 1 || filter == 3 || filter == 5) && width >= 7;
        if (!known || stride != 1 && stride != 2) {
            return false;
        }
        if (stride == 1) {
            return true;
        }
        long batch = x.size(0);
        long channels = x.size(1);
        if (batch == 1) {
            return filter > 1 || width <= 28;
        }
        if (filter == 1) {
            return batch <= 16 && channels >= 128 && width <= 7;
        }
        return channels >= 512 || channels >= 256 && width >= 28;
    }
}
