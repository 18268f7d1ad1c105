package dev.headroom.executor.cuda;

import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.graph.DType;
import java.util.Arrays;
import org.bytedeco.cuda.cudnn.cudnnActivationStruct;
import org.bytedeco.cuda.cudnn.cudnnTensorStruct;
import org.bytedeco.cuda.global.cudnn;
import org.bytedeco.javacpp.SizeTPointer;

/** Sizes of the buffers of cuDNN's batch normalisation, asked for as PyTorch does (native/cudnn/BatchNorm.cpp). */
// PyTorch's batch normalisation calls these functions too.
@SuppressWarnings("deprecation")
final class BatchNormBuffers {
    private final CudaContext context;

    BatchNormBuffers(CudaContext context) {
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

    /** One question about a tensor's problem. */
    private interface Question {
        void ask(int mode, cudnnTensorStruct data, cudnnTensorStruct map, SizeTPointer bytes);
    }

    private static long ask(Tensor x, Question question) {
        cudnnTensorStruct data = new cudnnTensorStruct();
        cudnnTensorStruct map = new cudnnTensorStruct();
        try (SizeTPointer bytes = new SizeTPointer(1)) {
            CudaStatus.dnn("cudnnCreateTensorDescriptor", cudnn.cudnnCreateTensorDescriptor(data));
            CudaStatus.dnn("cudnnCreateTensorDescriptor", cudnn.cudnnCreateTensorDescriptor(map));
            boolean channelsLast = !x.isContiguous() && Layout.isChannelsLast(x.sizes(), x.strides());
            // With channels last PyTorch asks for the persistent kernels, which alone need the buffers.
            int mode = channelsLast ? cudnn.CUDNN_BATCHNORM_SPATIAL_PERSISTENT : cudnn.CUDNN_BATCHNORM_SPATIAL;
            long[] strides = channelsLast ? Layout.channelsLast(x.sizes()) : Layout.contiguous(x.sizes());
            describe(data, x.dtype(), x.sizes(), strides);
            DType weights = x.dtype() == DType.FLOAT64 ? DType.FLOAT64 : DType.FLOAT32;
            long[] channels = new long[x.dims()];
            Arrays.fill(channels, 1);
            channels[1] = x.size(1);
            describe(map, weights, channels, Layout.contiguous(channels));
            question.ask(mode, data, map, bytes);
            return bytes.get();
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
                cudnn.cudnnSetTensorNdDescriptor(descriptor, DataTypes.dnn(type), dims, counts, steps));
    }

    private static void destroy(cudnnTensorStruct descriptor) {
        if (!descriptor.isNull()) {
            cudnn.cudnnDestroyTensorDescriptor(descriptor);
        }
    }
}
