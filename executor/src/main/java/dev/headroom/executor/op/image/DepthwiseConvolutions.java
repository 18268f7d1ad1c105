package dev.headroom.executor.op.image;

import dev.headroom.executor.kernel.ConvolutionCall;
import dev.headroom.executor.kernel.ConvolutionKernels.Direction;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** PyTorch's own depthwise kernels, which take row-major tensors (aten/src/ATen/native/cuda/DepthwiseConv2d.cu). */
final class DepthwiseConvolutions {
    private DepthwiseConvolutions() {}

    static Tensor forward(Eager e, Tensor x, Tensor weight, @Nullable Tensor bias, Convolutions.Spec spec) {
        Tensor kernel = Formats.packed(e, weight);
        Tensor out = e.empty(x.dtype(), Convolutions.outputSizes(x, weight, spec));
        run(e, new ConvolutionCall(Direction.OUTPUT, x, kernel, out, spec.geometry()));
        if (bias != null) {
            long[] sizes = new long[x.dims()];
            long[] strides = new long[x.dims()];
            Arrays.fill(sizes, 1);
            sizes[1] = bias.size(0);
            strides[1] = bias.stride(0);
            Tensor channels = e.alias(bias, sizes, strides, bias.offset());
            Elementwise.into(e, Elementwise.ADD, out, out, channels);
        }
        return out;
    }

    /** Gradients of the input and the weight, {@code null} where not wanted. */
    static @Nullable Tensor[] backward(
            Eager e, Tensor g, Tensor x, Tensor weight, Convolutions.Spec spec, boolean ofX, boolean ofWeight) {
        Tensor input = Formats.packed(e, x);
        Tensor output = Formats.packed(e, g);
        Tensor kernel = Formats.packed(e, weight);
        boolean flat = x.dims() == 4;
        // The kernels for three dimensions go the other way round.
        Tensor gradX = ofX && !flat ? ofInput(e, output, x, kernel, spec) : null;
        Tensor gradWeight = ofWeight ? e.empty(weight.dtype(), weight.sizes()) : null;
        if (gradWeight != null) {
            run(e, new ConvolutionCall(Direction.WEIGHT_GRADIENT, input, gradWeight, output, spec.geometry()));
        }
        gradX = ofX && flat ? ofInput(e, output, x, kernel, spec) : gradX;
        return new Tensor[] {gradX, gradWeight};
    }

    private static Tensor ofInput(Eager e, Tensor g, Tensor x, Tensor kernel, Convolutions.Spec spec) {
        Tensor out = e.empty(x.dtype(), x.sizes());
        run(e, new ConvolutionCall(Direction.INPUT_GRADIENT, out, kernel, g, spec.geometry()));
        return out;
    }

    private static void run(Eager e, ConvolutionCall call) {
        e.backend().convolutions().convolveDirectly(call);
    }
}
