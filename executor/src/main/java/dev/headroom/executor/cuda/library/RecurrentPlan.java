package dev.headroom.executor.cuda.library;

import dev.headroom.executor.cuda.driver.Cleanup;
import dev.headroom.executor.cuda.driver.CudaDevice;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.cuda.driver.DevicePointer;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cudnn.DnnType;
import dev.headroom.executor.kernel.RecurrentCall;
import dev.headroom.executor.kernel.RecurrentCall.Pass;
import dev.headroom.executor.kernel.RecurrentCall.Problem;
import dev.headroom.executor.kernel.RecurrentCall.States;
import dev.headroom.executor.kernel.RecurrentDropout;
import dev.headroom.executor.kernel.RecurrentLayers;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.RecurrentAlgorithm;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import java.util.function.IntSupplier;
import org.bytedeco.cuda.cudnn.cudnnContext;
import org.bytedeco.cuda.cudnn.cudnnDropoutStruct;
import org.bytedeco.cuda.cudnn.cudnnRNNDataStruct;
import org.bytedeco.cuda.cudnn.cudnnRNNStruct;
import org.bytedeco.cuda.cudnn.cudnnTensorStruct;
import org.bytedeco.cuda.global.cudnn;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.jspecify.annotations.Nullable;

/** Recurrent layers as cuDNN knows them (aten/src/ATen/native/cudnn/RNN.cpp, RNNDescriptors). */
final class RecurrentPlan implements AutoCloseable {
    /** Projections have none. */
    private static final long NO_BIAS = -1;

    private final CudaContext context;
    private final Problem problem;
    private final cudnnDropoutStruct dropout = new cudnnDropoutStruct();
    private final cudnnRNNStruct layers = new cudnnRNNStruct();
    private final cudnnRNNDataStruct inputs = new cudnnRNNDataStruct();
    private final cudnnRNNDataStruct outputs = new cudnnRNNDataStruct();
    private final cudnnTensorStruct states = new cudnnTensorStruct();
    private final cudnnTensorStruct cells = new cudnnTensorStruct();
    private final long workspaceBytes;
    private final long reserveBytes;
    private boolean laidOut;
    /** Address of the states of the generators that the layers have; 0 before. */
    private long generators;

    RecurrentPlan(CudaContext context, Problem problem) {
        this.context = context;
        this.problem = problem;
        boolean ready = false;
        try (SizeTPointer workspace = new SizeTPointer(1);
                SizeTPointer reserve = new SizeTPointer(1)) {
            describe();
            CudaStatus.dnn(
                    "cudnnGetRNNTempSpaceSizes",
                    cudnn.cudnnGetRNNTempSpaceSizes(handle(), layers, mode(), inputs, workspace, reserve));
            workspaceBytes = workspace.get();
            reserveBytes = reserve.get();
            ready = true;
        } finally {
            if (!ready) {
                close();
            }
        }
    }

    private cudnnContext handle() {
        return context.dnn();
    }

    private int mode() {
        return problem.pass() == Pass.INFERENCE ? cudnn.CUDNN_FWD_MODE_INFERENCE : cudnn.CUDNN_FWD_MODE_TRAINING;
    }

    /** Bytes of workspace. */
    long workspaceBytes() {
        return workspaceBytes;
    }

    /** Bytes that the forward pass leaves for the backward pass. */
    long reserveBytes() {
        return reserveBytes;
    }

    private void describe() {
        RecurrentLayers l = problem.layers();
        CudaStatus.dnn("cudnnCreateDropoutDescriptor", cudnn.cudnnCreateDropoutDescriptor(dropout));
        setDropout(null, 0);
        CudaStatus.dnn("cudnnCreateRNNDescriptor", cudnn.cudnnCreateRNNDescriptor(layers));
        setLayers();
        sequence(inputs, l.input());
        sequence(outputs, l.directions() * l.output());
        states(states, l.output());
        states(cells, l.hidden());
    }

    private void states(cudnnTensorStruct descriptor, long width) {
        CudaStatus.dnn("cudnnCreateTensorDescriptor", cudnn.cudnnCreateTensorDescriptor(descriptor));
        int[] sizes = {problem.layers().parts(), Math.toIntExact(problem.batch()), Math.toIntExact(width)};
        int[] strides = {sizes[1] * sizes[2], sizes[2], 1};
        CudaStatus.dnn(
                "cudnnSetTensorNdDescriptor",
                cudnn.cudnnSetTensorNdDescriptor(descriptor, DnnType.of(problem.type()), 3, sizes, strides));
    }

    private void setLayers() {
        RecurrentLayers l = problem.layers();
        CudaStatus.dnn(
                "cudnnSetRNNDescriptor_v8",
                cudnn.cudnnSetRNNDescriptor_v8(
                        layers,
                        algorithm(),
                        l.cell().ordinal(),
                        cudnn.CUDNN_RNN_DOUBLE_BIAS,
                        l.bidirectional() ? cudnn.CUDNN_BIDIRECTIONAL : cudnn.CUDNN_UNIDIRECTIONAL,
                        cudnn.CUDNN_LINEAR_INPUT,
                        DnnType.of(problem.type()),
                        problem.type() == DType.FLOAT64 ? cudnn.CUDNN_DATA_DOUBLE : cudnn.CUDNN_DATA_FLOAT,
                        problem.type() == DType.FLOAT16 ? cudnn.CUDNN_TENSOR_OP_MATH : cudnn.CUDNN_DEFAULT_MATH,
                        Math.toIntExact(l.input()),
                        Math.toIntExact(l.hidden()),
                        Math.toIntExact(l.output()),
                        l.count(),
                        dropout,
                        cudnn.CUDNN_RNN_PADDED_IO_ENABLED));
    }

    /** @param states of the generators, which are made from the seed; {@code null}: sizes alone are asked for */
    private void setDropout(@Nullable Tensor states, long seed) {
        CudaStatus.dnn(
                "cudnnSetDropoutDescriptor",
                cudnn.cudnnSetDropoutDescriptor(
                        dropout, handle(), (float) problem.dropout(), at(states), bytes(states), seed));
    }

    /**
     * Gives the layers their generators, with the first call; the descriptor takes what it finds when it is set.
     * Forward makes the states of the generators from the seed, backward takes them as forward left them.
     */
    private void bind(@Nullable RecurrentDropout drops) {
        if (drops == null || generators == drops.states().address()) {
            return;
        }
        if (problem.pass() == Pass.BACKWARD) {
            restoreDropout(drops);
        } else {
            setDropout(drops.states(), drops.seed());
        }
        setLayers();
        generators = drops.states().address();
    }

    private void restoreDropout(RecurrentDropout drops) {
        Tensor made = drops.states();
        CudaStatus.dnn(
                "cudnnRestoreDropoutDescriptor",
                cudnn.cudnnRestoreDropoutDescriptor(
                        dropout, handle(), (float) problem.dropout(), at(made), bytes(made), drops.seed()));
    }

    private void sequence(cudnnRNNDataStruct data, long width) {
        CudaStatus.dnn("cudnnCreateRNNDataDescriptor", cudnn.cudnnCreateRNNDataDescriptor(data));
        int[] lengths = new int[Math.toIntExact(problem.batch())];
        Arrays.fill(lengths, Math.toIntExact(problem.steps()));
        CudaStatus.dnn(
                "cudnnSetRNNDataDescriptor",
                cudnn.cudnnSetRNNDataDescriptor(
                        data,
                        DnnType.of(problem.type()),
                        cudnn.CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                        Math.toIntExact(problem.steps()),
                        lengths.length,
                        Math.toIntExact(width),
                        lengths,
                        null));
    }

    /** The constant of {@code cudnnRNNAlgo_t}. */
    private int algorithm() {
        CudaDevice device = context.device();
        CudnnDevice gpu = new CudnnDevice(device.major(), device.minor(), device.sms());
        return switch (RecurrentAlgorithm.of(problem.toCudnn(), problem.pass() == Pass.BACKWARD, gpu)) {
            case STANDARD -> cudnn.CUDNN_RNN_ALGO_STANDARD;
            case PERSIST_STATIC -> cudnn.CUDNN_RNN_ALGO_PERSIST_STATIC;
            case PERSIST_STATIC_SMALL_H -> cudnn.CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H;
        };
    }

    private static @Nullable Pointer at(@Nullable Tensor t) {
        return t == null ? null : new DevicePointer(t.address());
    }

    private static long bytes(@Nullable Tensor t) {
        return t == null ? 0 : t.elements() * t.dtype().bytes();
    }

    void forward(RecurrentCall call, States last) {
        bind(call.dropout());
        requireLayout(call.weights());
        CudaStatus.dnn(
                "cudnnRNNForward",
                cudnn.cudnnRNNForward(
                        handle(),
                        layers,
                        mode(),
                        (IntPointer) null,
                        inputs,
                        at(call.x()),
                        outputs,
                        at(call.y()),
                        states,
                        at(call.first().h()),
                        at(last.h()),
                        cells,
                        at(call.first().c()),
                        at(last.c()),
                        bytes(call.weights()),
                        at(call.weights()),
                        bytes(call.workspace()),
                        at(call.workspace()),
                        bytes(call.reserve()),
                        at(call.reserve())));
    }

    void dataGradient(RecurrentCall call, Tensor dy, States dLast, Tensor dx, States dFirst) {
        bind(call.dropout());
        CudaStatus.dnn(
                "cudnnRNNBackwardData_v8",
                cudnn.cudnnRNNBackwardData_v8(
                        handle(),
                        layers,
                        (IntPointer) null,
                        outputs,
                        at(call.y()),
                        at(dy),
                        inputs,
                        at(dx),
                        states,
                        at(call.first().h()),
                        at(dLast.h()),
                        at(dFirst.h()),
                        cells,
                        at(call.first().c()),
                        at(dLast.c()),
                        at(dFirst.c()),
                        bytes(call.weights()),
                        at(call.weights()),
                        bytes(call.workspace()),
                        at(call.workspace()),
                        bytes(call.reserve()),
                        at(call.reserve())));
    }

    void weightGradient(RecurrentCall call, Tensor dweights) {
        bind(call.dropout());
        CudaStatus.dnn(
                "cudnnRNNBackwardWeights_v8",
                cudnn.cudnnRNNBackwardWeights_v8(
                        handle(),
                        layers,
                        cudnn.CUDNN_WGRAD_MODE_ADD,
                        (IntPointer) null,
                        inputs,
                        at(call.x()),
                        states,
                        at(call.first().h()),
                        outputs,
                        at(call.y()),
                        bytes(dweights),
                        at(dweights),
                        bytes(call.workspace()),
                        at(call.workspace()),
                        bytes(call.reserve()),
                        at(call.reserve())));
    }

    /** Weights lie where this version of cuDNN looks for them, or nothing would be computed rightly. */
    private void requireLayout(Tensor weights) {
        if (laidOut) {
            return;
        }
        RecurrentLayers l = problem.layers();
        for (int part = 0; part < l.parts(); part++) {
            requireLayout(weights, part, 0, l.matrix(part, false), l.bias(part, false));
            requireLayout(weights, part, l.cell().gates(), l.matrix(part, true), l.bias(part, true));
            if (l.projects()) {
                requireLayout(weights, part, 2 * l.cell().gates(), l.projection(part), NO_BIAS);
            }
        }
        laidOut = true;
    }

    private void requireLayout(Tensor weights, int part, int kind, long matrixAt, long biasAt) {
        cudnnTensorStruct shape = new cudnnTensorStruct();
        CudaStatus.dnn("cudnnCreateTensorDescriptor", cudnn.cudnnCreateTensorDescriptor(shape));
        try (PointerPointer<Pointer> matrix = new PointerPointer<>(1);
                PointerPointer<Pointer> bias = new PointerPointer<>(1)) {
            CudaStatus.dnn(
                    "cudnnGetRNNWeightParams",
                    cudnn.cudnnGetRNNWeightParams(
                            handle(), layers, part, bytes(weights), at(weights), kind, shape, matrix, shape, bias));
            long size = problem.type().bytes();
            boolean same = matrix.get(0).address() == weights.address() + size * matrixAt
                    && (biasAt == NO_BIAS || bias.get(0).address() == weights.address() + size * biasAt);
            if (!same) {
                throw new CudaException("this version of cuDNN lays out the weights of recurrent layers differently");
            }
        } finally {
            CudaStatus.dnn("cudnnDestroyTensorDescriptor", cudnn.cudnnDestroyTensorDescriptor(shape));
        }
    }

    @Override
    public void close() {
        Cleanup cleanup = new Cleanup();
        destroy(cleanup, "Tensor", cells, () -> cudnn.cudnnDestroyTensorDescriptor(cells));
        destroy(cleanup, "Tensor", states, () -> cudnn.cudnnDestroyTensorDescriptor(states));
        destroy(cleanup, "RNNData", outputs, () -> cudnn.cudnnDestroyRNNDataDescriptor(outputs));
        destroy(cleanup, "RNNData", inputs, () -> cudnn.cudnnDestroyRNNDataDescriptor(inputs));
        destroy(cleanup, "RNN", layers, () -> cudnn.cudnnDestroyRNNDescriptor(layers));
        destroy(cleanup, "Dropout", dropout, () -> cudnn.cudnnDestroyDropoutDescriptor(dropout));
        cleanup.finish();
    }

    private static void destroy(Cleanup cleanup, String kind, Pointer descriptor, IntSupplier call) {
        if (!descriptor.isNull()) {
            cleanup.run(() -> CudaStatus.dnn("cudnnDestroy" + kind + "Descriptor", call.getAsInt()));
        }
    }
}
