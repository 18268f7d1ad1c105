package dev.headroom.executor.cuda.library;

import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.cuda.driver.DevicePointer;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cudnn.DnnType;
import dev.headroom.executor.kernel.BatchNormCall;
import dev.headroom.executor.kernel.BatchNormCall.Library;
import dev.headroom.executor.kernel.NormGradients;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.bytedeco.cuda.cudnn.cudnnActivationStruct;
import org.bytedeco.cuda.cudnn.cudnnTensorStruct;
import org.bytedeco.cuda.global.cudnn;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.jspecify.annotations.Nullable;

/** Batch normalisation by cuDNN, as PyTorch calls it (aten/src/ATen/native/cudnn/BatchNorm.cpp). */
// PyTorch's batch normalisation calls these functions too.
@SuppressWarnings("deprecation")
final class DnnBatchNorm {
    private final CudaContext context;

    DnnBatchNorm(CudaContext context) {
        this.context = context;
    }

    /** {@code cudnnGetBatchNormalizationTrainingExReserveSpaceSize}. */
    long reserveBytes(Tensor x) {
        return ask(
                x,
                (mode, data, map, bytes) -> CudaStatus.dnn(
                        "cudnnGetBatchNormalizationTrainingExReserveSpaceSize",
                        cudnn.cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
                                context.dnn(),
                                mode,
                                cudnn.CUDNN_BATCHNORM_OPS_BN,
                                (cudnnActivationStruct) null,
                                data,
                                bytes)));
    }

    /** {@code cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize}, or {@code …BackwardEx…}. */
    long workspaceBytes(Tensor x, boolean backward) {
        return ask(
                x,
                (mode, data, map, bytes) -> CudaStatus.dnn(
                        "cudnnGetBatchNormalization" + (backward ? "Backward" : "ForwardTraining") + "ExWorkspaceSize",
                        backward ? backward(mode, data, map, bytes) : forward(mode, data, map, bytes)));
    }

    private int forward(int mode, cudnnTensorStruct data, cudnnTensorStruct map, SizeTPointer bytes) {
        return cudnn.cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
                context.dnn(), mode, cudnn.CUDNN_BATCHNORM_OPS_BN, data, null, data, map, null, bytes);
    }

    private int backward(int mode, cudnnTensorStruct data, cudnnTensorStruct map, SizeTPointer bytes) {
        return cudnn.cudnnGetBatchNormalizationBackwardExWorkspaceSize(
                context.dnn(), mode, cudnn.CUDNN_BATCHNORM_OPS_BN, data, null, data, null, data, map, null, bytes);
    }

    /** {@code cudnnBatchNormalizationForwardTrainingEx}. */
    void forward(BatchNormCall c, Library library, BatchNormCall.Running running, Tensor out) {
        Tensor x = c.x();
        with(x, (mode, data, map) -> {
            try (Pointer one = scalar(x, 1);
                    Pointer zero = scalar(x, 0)) {
                CudaStatus.dnn(
                        "cudnnBatchNormalizationForwardTrainingEx",
                        cudnn.cudnnBatchNormalizationForwardTrainingEx(
                                context.dnn(),
                                mode,
                                cudnn.CUDNN_BATCHNORM_OPS_BN,
                                one,
                                zero,
                                data,
                                pointer(x),
                                null,
                                null,
                                data,
                                pointer(out),
                                map,
                                pointer(c.weight()),
                                pointer(c.bias()),
                                running.momentum(),
                                pointer(running.mean()),
                                pointer(running.variance()),
                                c.epsilon(),
                                pointer(c.mean()),
                                pointer(c.invstd()),
                                null,
                                pointer(library.workspace()),
                                library.workspace().elements(),
                                pointer(library.reserve()),
                                library.reserve().elements()));
            }
        });
    }

    /** {@code cudnnBatchNormalizationBackwardEx}. */
    void backward(BatchNormCall c, Library library, Tensor g, NormGradients gradients) {
        Tensor x = c.x();
        with(x, (mode, data, map) -> {
            try (Pointer one = scalar(x, 1);
                    Pointer zero = scalar(x, 0)) {
                CudaStatus.dnn(
                        "cudnnBatchNormalizationBackwardEx",
                        cudnn.cudnnBatchNormalizationBackwardEx(
                                context.dnn(),
                                mode,
                                cudnn.CUDNN_BATCHNORM_OPS_BN,
                                one,
                                zero,
                                one,
                                zero,
                                data,
                                pointer(x),
                                null,
                                null,
                                data,
                                pointer(g),
                                null,
                                null,
                                data,
                                pointer(gradients.x()),
                                map,
                                pointer(c.weight()),
                                null,
                                pointer(gradients.weight()),
                                pointer(gradients.bias()),
                                c.epsilon(),
                                pointer(c.mean()),
                                pointer(c.invstd()),
                                null,
                                pointer(library.workspace()),
                                library.workspace().elements(),
                                pointer(library.reserve()),
                                library.reserve().elements()));
            }
        });
    }

    /** A null pointer for no tensor and for an empty one. */
    private static DevicePointer pointer(@Nullable Tensor t) {
        return new DevicePointer(t == null || t.elements() == 0 ? 0 : t.address());
    }

    private static Pointer scalar(Tensor x, double value) {
        return x.dtype() == DType.FLOAT64 ? new DoublePointer(1).put(value) : new FloatPointer(1).put((float) value);
    }

    /** One question about a tensor's problem. */
    private interface Question {
        void ask(int mode, cudnnTensorStruct data, cudnnTensorStruct map, SizeTPointer bytes);
    }

    private static long ask(Tensor x, Question question) {
        long[] answer = new long[1];
        with(x, (mode, data, map) -> {
            try (SizeTPointer bytes = new SizeTPointer(1)) {
                question.ask(mode, data, map, bytes);
                answer[0] = bytes.get();
            }
        });
        return answer[0];
    }

    /** Something done with a problem's descriptors. */
    private interface Work {
        void run(int mode, cudnnTensorStruct data, cudnnTensorStruct map);
    }

    private static void with(Tensor x, Work work) {
        cudnnTensorStruct data = new cudnnTensorStruct();
        cudnnTensorStruct map = new cudnnTensorStruct();
        try {
            CudaStatus.dnn("cudnnCreateTensorDescriptor", cudnn.cudnnCreateTensorDescriptor(data));
            CudaStatus.dnn("cudnnCreateTensorDescriptor", cudnn.cudnnCreateTensorDescriptor(map));
            boolean channelsLast = !x.isContiguous() && Layout.isChannelsLast(x.sizes(), x.strides());
            // getCudnnBatchNormMode: the persistent kernels, which alone need the buffers, for channels last.
            int mode = channelsLast ? cudnn.CUDNN_BATCHNORM_SPATIAL_PERSISTENT : cudnn.CUDNN_BATCHNORM_SPATIAL;
            long[] strides = channelsLast ? Layout.channelsLast(x.sizes()) : Layout.contiguous(x.sizes());
            describe(data, x.dtype(), x.sizes(), strides);
            DType weights = x.dtype() == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
            long[] channels = new long[x.dims()];
            Arrays.fill(channels, 1);
            channels[1] = x.size(1);
            describe(map, weights, channels, Layout.contiguous(channels));
            work.run(mode, data, map);
        } finally {
            destroy(data);
            destroy(map);
        }
    }

    /** cuDNN wants four dimensions at least. */
    private static void describe(cudnnTensorStruct descriptor, DType type, long[] sizes, long... strides) {
        int dims = Math.max(4, sizes.length);
        int[] counts = new int[dims];
        int[] steps = new int[dims];
        Arrays.fill(counts, 1);
        Arrays.fill(steps, 1);
        for (int d = 0; d < sizes.length; d++) {
            counts[d] = Math.toIntExact(sizes[d]);
            steps[d] = Math.toIntExact(strides[d]);
        }
        CudaStatus.dnn(
                "cudnnSetTensorNdDescriptor",
                cudnn.cudnnSetTensorNdDescriptor(descriptor, DnnType.of(type), dims, counts, steps));
    }

    private static void destroy(cudnnTensorStruct descriptor) {
        if (!descriptor.isNull()) {
            cudnn.cudnnDestroyTensorDescriptor(descriptor);
        }
    }
}
