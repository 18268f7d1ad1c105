package dev.headroom.executor.op.image;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.PoolingKernels.Window;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Formats;
import dev.headroom.executor.op.reduction.ReductionOperators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.MemoryFormat;
import java.util.Arrays;

/**
 * Pooling over two dimensions (aten/src/ATen/native/cuda/DilatedMaxPool2d.cu, AveragePool2d.cu,
 * AdaptiveAveragePooling.cu).
 */
final class Poolings {
    private Poolings() {}

    /**
     * {@code max_pool2d_with_indices}.
     *
     * @return the greatest elements, and where they are
     */
    static Tensor[] max(Eager e, Tensor x, Window w, boolean ceil) {
        Recorder r = e.record("MaxPool2DWithIndicesBackward0", x);
        SavedTensor savedX = r.save(x);
        MemoryFormat format = Formats.suggested(x);
        long[] sizes = sizes(x, w, ceil);
        Tensor out = Formats.empty(e, x.dtype(), format, sizes);
        Tensor places = Formats.empty(e, DType.INT64, format, sizes);
        try (Scope s = e.open()) {
            e.backend().poolings().maxPool(out, places, Formats.packed(e, x, format), w);
        }
        SavedTensor savedPlaces = r.saveOutput(places);
        r.backward(g -> new Tensor[] {maxBackward(e, g[0], savedX.get(), savedPlaces.get())})
                .output(out);
        return new Tensor[] {out, places};
    }

    private static Tensor maxBackward(Eager e, Tensor g, Tensor x, Tensor places) {
        MemoryFormat format = Formats.suggested(x);
        Tensor out = Formats.empty(e, x.dtype(), format, x.sizes());
        try (Scope s = e.open()) {
            Tensor packed = Formats.packed(e, g, format);
            Formats.packed(e, x, format);
            e.backend().poolings().maxPoolBackward(out, packed, Formats.packed(e, places, format));
        }
        return out;
    }

    /** {@code avg_pool2d}. */
    static Tensor average(Eager e, Tensor x, Window w, boolean ceil, boolean countsPadding, long divisor) {
        Recorder r = e.record("AvgPool2DBackward0", x);
        SavedTensor savedX = r.save(x);
        MemoryFormat format = Formats.suggested(x);
        Tensor out = Formats.empty(e, x.dtype(), format, sizes(x, w, ceil));
        try (Scope s = e.open()) {
            e.backend().poolings().averagePool(out, Formats.packed(e, x, format), w, countsPadding, divisor);
        }
        return r.backward(g -> {
                    MemoryFormat f = Formats.suggested(savedX.get());
                    Tensor gradX = Formats.empty(
                            e, savedX.get().dtype(), f, savedX.get().sizes());
                    try (Scope s = e.open()) {
                        Formats.packed(e, savedX.get(), f);
                        Tensor packed = Formats.packed(e, g[0], f);
                        e.backend().poolings().averagePoolBackward(gradX, packed, w, countsPadding, divisor);
                    }
                    return new Tensor[] {gradX};
                })
                .output(out);
    }

    /** Sizes of the result (aten/src/ATen/native/Pool.h, pooling_output_shape). */
    static long[] sizes(Tensor x, Window w, boolean ceil) {
        long[] out = x.sizes().clone();
        int dims = w.kernel().length;
        for (int i = 0; i < dims; i++) {
            int d = out.length - dims + i;
            long reach = x.size(d) + 2 * w.padding()[i] - w.dilation()[i] * (w.kernel()[i] - 1) - 1;
            out[d] = Math.floorDiv(reach + (ceil ? w.stride()[i] - 1 : 0), w.stride()[i]) + 1;
            // A last window must not lie in the padding alone.
            if (ceil && (out[d] - 1) * w.stride()[i] >= x.size(d) + w.padding()[i]) {
                out[d]--;
            }
            if (out[d] <= 0) {
                throw new UserInputException("pooling: an input of shape " + Arrays.toString(x.sizes())
                        + " is too small for a window of " + Arrays.toString(w.kernel()));
            }
        }
        return out;
    }

    /** {@code adaptive_avg_pool2d}: to a single element it is a mean. */
    static Tensor adaptiveAverage(Eager e, Tensor x, long[] size) {
        if (size[0] == 1 && size[1] == 1) {
            return adaptiveMean(e, x, -1, -2);
        }
        Recorder r = e.record("AdaptiveAvgPool2DBackward0", x);
        SavedTensor savedX = r.save(x);
        MemoryFormat format = Formats.suggested(x);
        long[] sizes = x.sizes().clone();
        sizes[sizes.length - 2] = size[0];
        sizes[sizes.length - 1] = size[1];
        Tensor out = Formats.empty(e, x.dtype(), format, sizes);
        try (Scope s = e.open()) {
            e.backend().poolings().adaptiveAveragePool(out, Formats.packed(e, x, format));
        }
        return r.backward(g -> {
                    MemoryFormat f = Formats.suggested(savedX.get());
                    Tensor gradX = Formats.empty(
                            e, savedX.get().dtype(), f, savedX.get().sizes());
                    try (Scope s = e.open()) {
                        // The channels-last kernel takes the gradient as it lies.
                        Tensor packed = f == MemoryFormat.CONTIGUOUS ? Formats.packed(e, g[0]) : g[0];
                        e.backend().poolings().adaptiveAveragePoolBackward(gradX, packed);
                    }
                    return new Tensor[] {gradX};
                })
                .output(out);
    }

    /** Pooling to a single element: a mean over the given dimensions. */
    static Tensor adaptiveMean(Eager e, Tensor x, long... dims) {
        if (Formats.suggested(x) == MemoryFormat.CONTIGUOUS) {
            return ReductionOperators.mean(e, x, dims, true, null);
        }
        // The mean is row-major; as_strided makes its shape channels last, and its gradient's a copy.
        return e.call(() -> {
            Tensor mean = ReductionOperators.reduced(e, Kind.MEAN, x, dims, true, x.dtype());
            long[] sizes = mean.sizes();
            long[] strides = Layout.channelsLast(sizes);
            return e.record("AsStridedBackward1", mean)
                    .backward(g -> {
                        Tensor copy = e.empty(g[0].dtype(), sizes);
                        Copies.fill(e, copy, g[0]);
                        return new Tensor[] {copy};
                    })
                    .output(e.view(mean, sizes, strides, mean.offset()));
        });
    }
}
