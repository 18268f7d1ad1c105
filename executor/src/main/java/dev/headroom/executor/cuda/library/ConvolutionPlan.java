package dev.headroom.executor.cuda.library;

import dev.headroom.executor.cuda.driver.Cleanup;
import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.cuda.driver.DevicePointer;
import dev.headroom.executor.cuda.library.ConvolutionAlgorithm.Descriptors;
import dev.headroom.executor.kernel.ConvolutionCall;
import dev.headroom.executor.kernel.ConvolutionKernels.Direction;
import dev.headroom.executor.kernel.ConvolutionKernels.Geometry;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.bytedeco.cuda.cudnn.cudnnConvolutionStruct;
import org.bytedeco.cuda.cudnn.cudnnFilterStruct;
import org.bytedeco.cuda.cudnn.cudnnTensorStruct;
import org.bytedeco.cuda.global.cudnn;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * One convolution problem as cuDNN knows it: descriptors, and the algorithms in the order in which cuDNN's heuristics
 * prefer them. Single precision may be computed in TF32, as PyTorch lets cuDNN do ({@code cudnn.allow_tf32}).
 */
// Of cuDNN's two interfaces to convolutions this is the older one, and the smaller.
@SuppressWarnings("deprecation")
final class ConvolutionPlan implements AutoCloseable {
    private final Direction direction;
    private final DType type;
    private final cudnnTensorStruct input = new cudnnTensorStruct();
    private final cudnnTensorStruct output = new cudnnTensorStruct();
    private final cudnnFilterStruct weight = new cudnnFilterStruct();
    private final cudnnConvolutionStruct convolution = new cudnnConvolutionStruct();
    private final List<ConvolutionAlgorithm> algorithms;

    /** Tensors are packed, all of them row-major or all of them channels last. */
    ConvolutionPlan(cudnnContext handle, ConvolutionCall call) {
        this.direction = call.direction();
        this.type = call.input().dtype();
        boolean rowMajor = call.isRowMajor();
        boolean ready = false;
        try {
            create();
            describe(input, call.input(), rowMajor);
            describe(output, call.output(), rowMajor);
            CudaStatus.dnn(
                    "cudnnSetFilterNdDescriptor",
                    cudnn.cudnnSetFilterNdDescriptor(
                            weight,
                            DataTypes.dnn(type),
                            rowMajor ? cudnn.CUDNN_TENSOR_NCHW : cudnn.CUDNN_TENSOR_NHWC,
                            call.weight().dims(),
                            ints(call.weight().sizes())));
            describe(call.geometry());
            algorithms =
                    ConvolutionAlgorithm.find(handle, direction, new Descriptors(input, weight, convolution, output));
            ready = true;
        } finally {
            if (!ready) {
                close();
            }
        }
    }

    /** Bytes of workspace of the algorithm that cuDNN prefers; 0 when it has none. */
    long workspaceBytes() {
        return algorithms.isEmpty() ? 0 : algorithms.get(0).workspaceBytes();
    }

    /**
     * Runs the most preferred algorithm that the workspace is enough for.
     *
     * @return false when there is none
     */
    boolean run(cudnnContext handle, ConvolutionCall call, @Nullable Tensor workspace) {
        long bytes = workspace == null ? 0 : workspace.storage().bytes();
        for (ConvolutionAlgorithm algorithm : algorithms) {
            if (algorithm.workspaceBytes() <= bytes) {
                CudaStatus.dnn(
                        "cudnnSetConvolutionMathType",
                        cudnn.cudnnSetConvolutionMathType(convolution, algorithm.math()));
                run(handle, algorithm.number(), call, new Space(workspace, bytes));
                return true;
            }
        }
        return false;
    }

    private record Space(@Nullable Tensor tensor, long bytes) {
        DevicePointer pointer() {
            return new DevicePointer(tensor == null ? 0 : tensor.address());
        }
    }

    private void run(cudnnContext handle, int algorithm, ConvolutionCall call, Space space) {
        DevicePointer px = new DevicePointer(call.input().address());
        DevicePointer pw = new DevicePointer(call.weight().address());
        DevicePointer py = new DevicePointer(call.output().address());
        try (Pointer one = scalar(1);
                Pointer zero = scalar(0)) {
            switch (direction) {
                case OUTPUT ->
                    CudaStatus.dnn(
                            "cudnnConvolutionForward",
                            cudnn.cudnnConvolutionForward(
                                    handle,
                                    one,
                                    input,
                                    px,
                                    weight,
                                    pw,
                                    convolution,
                                    algorithm,
                                    space.pointer(),
                                    space.bytes(),
                                    zero,
                                    output,
                                    py));
                case INPUT_GRADIENT ->
                    CudaStatus.dnn(
                            "cudnnConvolutionBackwardData",
                            cudnn.cudnnConvolutionBackwardData(
                                    handle,
                                    one,
                                    weight,
                                    pw,
                                    output,
                                    py,
                                    convolution,
                                    algorithm,
                                    space.pointer(),
                                    space.bytes(),
                                    zero,
                                    input,
                                    px));
                case WEIGHT_GRADIENT ->
                    CudaStatus.dnn(
                            "cudnnConvolutionBackwardFilter",
                            cudnn.cudnnConvolutionBackwardFilter(
                                    handle,
                                    one,
                                    input,
                                    px,
                                    output,
                                    py,
                                    convolution,
                                    algorithm,
                                    space.pointer(),
                                    space.bytes(),
                                    zero,
                                    weight,
                                    pw));
            }
        }
    }

    /** Scaling factors have the type of the computation. */
    private Pointer scalar(double value) {
        return type == DType.FLOAT64 ? new DoublePointer(1).put(value) : new FloatPointer(1).put((float) value);
    }

    private void create() {
        CudaStatus.dnn("cudnnCreateTensorDescriptor", cudnn.cudnnCreateTensorDescriptor(input));
        CudaStatus.dnn("cudnnCreateTensorDescriptor", cudnn.cudnnCreateTensorDescriptor(output));
        CudaStatus.dnn("cudnnCreateFilterDescriptor", cudnn.cudnnCreateFilterDescriptor(weight));
        CudaStatus.dnn("cudnnCreateConvolutionDescriptor", cudnn.cudnnCreateConvolutionDescriptor(convolution));
    }

    /** Strides are computed anew: those of dimensions of size 1 may be anything, and cuDNN looks at them. */
    private static void describe(cudnnTensorStruct descriptor, Tensor t, boolean rowMajor) {
        long[] strides = rowMajor ? Layout.contiguous(t.sizes()) : Layout.channelsLast(t.sizes());
        CudaStatus.dnn(
                "cudnnSetTensorNdDescriptor",
                cudnn.cudnnSetTensorNdDescriptor(
                        descriptor, DataTypes.dnn(t.dtype()), t.dims(), ints(t.sizes()), ints(strides)));
    }

    private void describe(Geometry g) {
        CudaStatus.dnn(
                "cudnnSetConvolutionNdDescriptor",
                cudnn.cudnnSetConvolutionNdDescriptor(
                        convolution,
                        g.stride().length,
                        ints(g.padding()),
                        ints(g.stride()),
                        ints(g.dilation()),
                        cudnn.CUDNN_CROSS_CORRELATION,
                        type == DType.FLOAT64 ? cudnn.CUDNN_DATA_DOUBLE : cudnn.CUDNN_DATA_FLOAT));
        CudaStatus.dnn(
                "cudnnSetConvolutionGroupCount",
                cudnn.cudnnSetConvolutionGroupCount(convolution, Math.toIntExact(g.groups())));
        CudaStatus.dnn(
                "cudnnSetConvolutionMathType",
                cudnn.cudnnSetConvolutionMathType(
                        convolution, type.isReducedFloat() ? cudnn.CUDNN_TENSOR_OP_MATH : cudnn.CUDNN_DEFAULT_MATH));
    }

    private static int[] ints(long... values) {
        return Arrays.stream(values).mapToInt(Math::toIntExact).toArray();
    }

    @Override
    public void close() {
        Cleanup cleanup = new Cleanup();
        destroy(cleanup, "Tensor", input, () -> cudnn.cudnnDestroyTensorDescriptor(input));
        destroy(cleanup, "Tensor", output, () -> cudnn.cudnnDestroyTensorDescriptor(output));
        destroy(cleanup, "Filter", weight, () -> cudnn.cudnnDestroyFilterDescriptor(weight));
        destroy(cleanup, "Convolution", convolution, () -> cudnn.cudnnDestroyConvolutionDescriptor(convolution));
        cleanup.finish();
    }

    private static void destroy(Cleanup cleanup, String kind, Pointer descriptor, IntSupplier call) {
        if (!descriptor.isNull()) {
            cleanup.run(() -> CudaStatus.dnn("cudnnDestroy" + kind + "Descriptor", call.getAsInt()));
        }
    }
}
