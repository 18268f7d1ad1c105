package dev.headroom.executor.cuda.library;

import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.kernel.ConvolutionKernels.Direction;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.bytedeco.cuda.cudnn.cudnnConvolutionBwdDataAlgoPerf_t;
import org.bytedeco.cuda.cudnn.cudnnConvolutionBwdFilterAlgoPerf_t;
import org.bytedeco.cuda.cudnn.cudnnConvolutionFwdAlgoPerf_t;
import org.bytedeco.cuda.cudnn.cudnnConvolutionStruct;
import org.bytedeco.cuda.cudnn.cudnnFilterStruct;
import org.bytedeco.cuda.cudnn.cudnnTensorStruct;
import org.bytedeco.cuda.global.cudnn;
import org.jspecify.annotations.Nullable;

/**
 * One of cuDNN's algorithms for a problem.
 *
 * @param number in its direction's enumeration
 * @param workspaceBytes that it needs
 * @param math the type of mathematics that it was found for
 */
// Of cuDNN's two interfaces to convolutions this is the older one, and the smaller.
@SuppressWarnings("deprecation")
record ConvolutionAlgorithm(int number, long workspaceBytes, int math) {
    /** More than any direction has. */
    private static final int MOST = 16;

    /** A problem as cuDNN knows it. */
    record Descriptors(
            cudnnTensorStruct input,
            cudnnFilterStruct weight,
            cudnnConvolutionStruct convolution,
            cudnnTensorStruct output) {}

    /** The algorithms that work, best first, by {@code cudnnGetConvolution…Algorithm_v7}. */
    static List<ConvolutionAlgorithm> find(cudnnContext handle, Direction direction, Descriptors d) {
        return switch (direction) {
            case OUTPUT -> forward(handle, d);
            case INPUT_GRADIENT -> inputGradient(handle, d);
            case WEIGHT_GRADIENT -> weightGradient(handle, d);
        };
    }

    private static List<ConvolutionAlgorithm> forward(cudnnContext handle, Descriptors d) {
        int[] count = new int[1];
        try (cudnnConvolutionFwdAlgoPerf_t all = new cudnnConvolutionFwdAlgoPerf_t(MOST)) {
            int status = cudnn.cudnnGetConvolutionForwardAlgorithm_v7(
                    handle, d.input(), d.weight(), d.convolution(), d.output(), MOST, count, all);
            return found("cudnnGetConvolutionForwardAlgorithm_v7", status, count[0], i -> {
                cudnnConvolutionFwdAlgoPerf_t one = all.getPointer(i);
                return of(one.status(), one.algo(), one.memory(), one.mathType());
            });
        }
    }

    private static List<ConvolutionAlgorithm> inputGradient(cudnnContext handle, Descriptors d) {
        int[] count = new int[1];
        try (cudnnConvolutionBwdDataAlgoPerf_t all = new cudnnConvolutionBwdDataAlgoPerf_t(MOST)) {
            int status = cudnn.cudnnGetConvolutionBackwardDataAlgorithm_v7(
                    handle, d.weight(), d.output(), d.convolution(), d.input(), MOST, count, all);
            return found("cudnnGetConvolutionBackwardDataAlgorithm_v7", status, count[0], i -> {
                cudnnConvolutionBwdDataAlgoPerf_t one = all.getPointer(i);
                return of(one.status(), one.algo(), one.memory(), one.mathType());
            });
        }
    }

    private static List<ConvolutionAlgorithm> weightGradient(cudnnContext handle, Descriptors d) {
        int[] count = new int[1];
        try (cudnnConvolutionBwdFilterAlgoPerf_t all = new cudnnConvolutionBwdFilterAlgoPerf_t(MOST)) {
            int status = cudnn.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
                    handle, d.input(), d.output(), d.convolution(), d.weight(), MOST, count, all);
            return found("cudnnGetConvolutionBackwardFilterAlgorithm_v7", status, count[0], i -> {
                cudnnConvolutionBwdFilterAlgoPerf_t one = all.getPointer(i);
                return of(one.status(), one.algo(), one.memory(), one.mathType());
            });
        }
    }

    /** The answers that work; a problem that cuDNN does not have is no failure: there are other kernels. */
    private static List<ConvolutionAlgorithm> found(
            String call, int status, int count, IntFunction<ConvolutionAlgorithm> answers) {
        if (status == cudnn.CUDNN_STATUS_NOT_SUPPORTED) {
            return List.of();
        }
        CudaStatus.dnn(call, status);
        return IntStream.range(0, count)
                .mapToObj(answers)
                .filter(Objects::nonNull)
                .toList();
    }

    /** {@code null} for one that does not work. */
    private static @Nullable ConvolutionAlgorithm of(int status, int number, long bytes, int math) {
        return status == cudnn.CUDNN_STATUS_SUCCESS ? new ConvolutionAlgorithm(number, bytes, math) : null;
    }
}
