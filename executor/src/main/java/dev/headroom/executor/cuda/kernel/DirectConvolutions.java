package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.runtime.CudaKernel;
import dev.headroom.executor.cuda.runtime.LaunchShape;
import dev.headroom.executor.kernel.ConvolutionCall;
import dev.headroom.executor.kernel.ConvolutionKernels.Geometry;
import dev.headroom.executor.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Convolutions by the project's own kernels, without workspace: depthwise ones, and what cuDNN does not have. */
public final class DirectConvolutions {
    private static final int SPATIAL = 3;
    private static final int THREADS = 128;
    private static final int FIELDS = 1 + 3 * SPATIAL + 3 + 3 * SPATIAL;

    private final KernelFiles kernels;

    public DirectConvolutions(KernelFiles kernels) {
        this.kernels = kernels;
    }

    public void convolve(ConvolutionCall call) {
        byte[] g = bytes(call);
        byte[] i = view(call.input());
        byte[] w = view(call.weight());
        byte[] o = view(call.output());
        Tensor result = call.result();
        long elements = result.elements();
        switch (call.direction()) {
            case OUTPUT ->
                kernel("convolve_output", result).launch(LaunchShape.elements(elements), elements, g, i, w, o);
            case INPUT_GRADIENT ->
                kernel("convolve_input_gradient", result).launch(LaunchShape.elements(elements), elements, g, i, w, o);
            case WEIGHT_GRADIENT ->
                kernel("convolve_weight_gradient", result)
                        .launch(LaunchShape.of(Math.toIntExact(elements), THREADS), g, i, w, o);
        }
    }

    private CudaKernel kernel(String name, Tensor t) {
        return kernels.kernel("convolutions", name, t.dtype());
    }

    /** With three spatial dimensions. */
    private static byte[] view(Tensor t) {
        return DeviceView.of(t.address(), spread(t.sizes(), 2, 1), spread(t.strides(), 2, 0));
    }

    /** Puts in what is missing before the spatial dimensions. */
    private static long[] spread(long[] values, int first, long missing) {
        long[] out = new long[first + SPATIAL];
        int gap = out.length - values.length;
        for (int d = 0; d < out.length; d++) {
            out[d] = d < first ? values[d] : d < first + gap ? missing : values[d - gap];
        }
        return out;
    }

    /** The kernels' {@code struct Geometry}. */
    private static byte[] bytes(ConvolutionCall call) {
        Geometry geometry = call.geometry();
        ByteBuffer out = ByteBuffer.allocate(FIELDS * Long.BYTES).order(ByteOrder.nativeOrder());
        out.putLong(geometry.groups());
        put(out, spread(geometry.stride(), 0, 1));
        put(out, spread(geometry.padding(), 0, 0));
        put(out, spread(geometry.dilation(), 0, 1));
        out.putLong(call.input().size(0)).putLong(call.input().size(1));
        out.putLong(call.output().size(1));
        for (Tensor t : new Tensor[] {call.input(), call.weight(), call.output()}) {
            long[] sizes = spread(t.sizes(), 2, 1);
            put(out, sizes[2], sizes[3], sizes[4]);
        }
        return out.array();
    }

    private static void put(ByteBuffer out, long... values) {
        for (long value : values) {
            out.putLong(value);
        }
    }
}
