package dev.headroom.executor.cuda.library;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.executor.cuda.DeviceArrays;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.OverNullCuda;
import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.cuda.driver.CudaTransfer;
import dev.headroom.executor.cuda.driver.DevicePointer;
import dev.headroom.executor.cuda.runtime.CudaContext;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.bytedeco.cuda.cudnn.cudnnRNNDataStruct;
import org.bytedeco.cuda.cudnn.cudnnRNNStruct;
import org.bytedeco.cuda.cudnn.cudnnTensorStruct;
import org.bytedeco.cuda.global.cudnn;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The emulated recurrent layers: a GRU against its formula, gradients against differences, in double. */
@OverNullCuda
class CudaRecurrentTest {
    private static final int STEPS = 3;
    private static final int BATCH = 2;
    private static final int INPUT = 3;
    private static final int HIDDEN = 2;

    private final Random random = new Random(11);
    private NullCuda device;
    private CudaContext context;
    private cudnnRNNStruct layers;
    private cudnnRNNDataStruct inputs;
    private cudnnRNNDataStruct outputs;
    private int directions;
    private int states;

    @BeforeEach
    void emulate() {
        device = NullCuda.install().emulate();
        context = CudaContext.open(0);
        context.dnn();
    }

    @AfterEach
    void nothingIsLeft() {
        cudnn.cudnnDestroyRNNDescriptor(layers);
        cudnn.cudnnDestroyRNNDataDescriptor(inputs);
        cudnn.cudnnDestroyRNNDataDescriptor(outputs);
        context.close();
        assertEquals(0, device.liveObjects());
        assertEquals(0, device.liveAllocations());
    }

    @Test
    void aGruFollowsItsFormula() {
        describe(cudnn.CUDNN_GRU, 1, false);
        double[] x = numbers(STEPS * BATCH * INPUT);
        double[] hx = numbers(BATCH * HIDDEN);
        double[] w = numbers(weights());
        double[] y = forward(x, hx, w).y();
        double[] h = hx.clone();
        for (int t = 0; t < STEPS; t++) {
            for (int b = 0; b < BATCH; b++) {
                double[] old = Arrays.copyOfRange(h, b * HIDDEN, (b + 1) * HIDDEN);
                for (int u = 0; u < HIDDEN; u++) {
                    double[] fromX = new double[3];
                    double[] fromH = new double[3];
                    for (int g = 0; g < 3; g++) {
                        int biases = 3 * HIDDEN * (INPUT + HIDDEN);
                        fromX[g] = w[biases + g * HIDDEN + u];
                        fromH[g] = w[biases + (3 + g) * HIDDEN + u];
                        for (int i = 0; i < INPUT; i++) {
                            fromX[g] += w[(g * HIDDEN + u) * INPUT + i] * x[(t * BATCH + b) * INPUT + i];
                        }
                        for (int i = 0; i < HIDDEN; i++) {
                            fromH[g] += w[3 * HIDDEN * INPUT + (g * HIDDEN + u) * HIDDEN + i] * old[i];
                        }
                    }
                    double reset = 1 / (1 + Math.exp(-fromX[0] - fromH[0]));
                    double update = 1 / (1 + Math.exp(-fromX[1] - fromH[1]));
                    double candidate = Math.tanh(fromX[2] + reset * fromH[2]);
                    h[b * HIDDEN + u] = (1 - update) * candidate + update * old[u];
                    assertEquals(h[b * HIDDEN + u], y[(t * BATCH + b) * HIDDEN + u], 1e-12);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {cudnn.CUDNN_RNN_TANH, cudnn.CUDNN_LSTM, cudnn.CUDNN_GRU})
    void gradientsAreTheDifferencesOfTheForwardPass(int cell) {
        describe(cell, 2, true);
        double[] x = numbers(STEPS * BATCH * INPUT);
        double[] hx = numbers(states * BATCH * HIDDEN);
        double[] w = numbers(weights());
        double[] dy = numbers(STEPS * BATCH * directions * HIDDEN);
        Gradients gradients = backward(x, hx, w, dy);
        assertDifferences(x, gradients.dx(), () -> loss(forward(x, hx, w).y(), dy));
        assertDifferences(hx, gradients.dhx(), () -> loss(forward(x, hx, w).y(), dy));
        assertDifferences(w, gradients.dw(), () -> loss(forward(x, hx, w).y(), dy));
    }

    private interface Loss {
        double now();
    }

    private static void assertDifferences(double[] at, double[] gradient, Loss loss) {
        for (int i = 0; i < at.length; i++) {
            double old = at[i];
            at[i] = old + 1e-5;
            double up = loss.now();
            at[i] = old - 1e-5;
            double down = loss.now();
            at[i] = old;
            assertEquals((up - down) / 2e-5, gradient[i], 1e-8, "element " + i);
        }
    }

    private static double loss(double[] y, double[] dy) {
        double sum = 0;
        for (int i = 0; i < y.length; i++) {
            sum += y[i] * dy[i];
        }
        return sum;
    }

    private record Outputs(double[] y, long x, long hx, long w, long reserve, long workspace) {}

    private record Gradients(double[] dx, double[] dhx, double[] dw) {}

    private Outputs forward(double[] x, double[] hx, double[] w) {
        Outputs out = run(x, hx, w);
        release(out);
        return out;
    }

    private void release(Outputs out) {
        for (long address : new long[] {out.x(), out.hx(), out.w(), out.reserve(), out.workspace()}) {
            context.memory().free(address, 0);
        }
    }

    private Outputs run(double[] x, double[] hx, double[] w) {
        long[] sizes = temporaries();
        int count = STEPS * BATCH * directions * HIDDEN;
        long y = context.memory().allocate(8L * count);
        Outputs out = new Outputs(
                new double[count],
                put(x),
                put(hx),
                put(w),
                context.memory().allocate(sizes[1]),
                context.memory().allocate(sizes[0]));
        CudaStatus.dnn(
                "cudnnRNNForward",
                cudnn.cudnnRNNForward(
                        context.dnn(),
                        layers,
                        cudnn.CUDNN_FWD_MODE_TRAINING,
                        (IntPointer) null,
                        inputs,
                        new DevicePointer(out.x()),
                        outputs,
                        new DevicePointer(y),
                        (cudnnTensorStruct) null,
                        new DevicePointer(out.hx()),
                        null,
                        (cudnnTensorStruct) null,
                        null,
                        null,
                        8L * w.length,
                        new DevicePointer(out.w()),
                        sizes[0],
                        new DevicePointer(out.workspace()),
                        sizes[1],
                        new DevicePointer(out.reserve())));
        get(y, out.y());
        context.memory().free(y, 0);
        return out;
    }

    private Gradients backward(double[] x, double[] hx, double[] w, double[] dy) {
        Outputs out = run(x, hx, w);
        long[] sizes = temporaries();
        Pointer y = new DevicePointer(put(out.y()));
        Pointer pdy = new DevicePointer(put(dy));
        Pointer dx = new DevicePointer(put(x));
        Pointer dhx = new DevicePointer(put(hx));
        Pointer dw = new DevicePointer(put(new double[w.length]));
        CudaStatus.dnn(
                "cudnnRNNBackwardData_v8",
                cudnn.cudnnRNNBackwardData_v8(
                        context.dnn(),
                        layers,
                        (IntPointer) null,
                        outputs,
                        y,
                        pdy,
                        inputs,
                        dx,
                        (cudnnTensorStruct) null,
                        new DevicePointer(out.hx()),
                        null,
                        dhx,
                        (cudnnTensorStruct) null,
                        null,
                        null,
                        null,
                        8L * w.length,
                        new DevicePointer(out.w()),
                        sizes[0],
                        new DevicePointer(out.workspace()),
                        sizes[1],
                        new DevicePointer(out.reserve())));
        CudaStatus.dnn(
                "cudnnRNNBackwardWeights_v8",
                cudnn.cudnnRNNBackwardWeights_v8(
                        context.dnn(),
                        layers,
                        cudnn.CUDNN_WGRAD_MODE_ADD,
                        (IntPointer) null,
                        inputs,
                        new DevicePointer(out.x()),
                        (cudnnTensorStruct) null,
                        new DevicePointer(out.hx()),
                        outputs,
                        y,
                        8L * w.length,
                        dw,
                        sizes[0],
                        new DevicePointer(out.workspace()),
                        sizes[1],
                        new DevicePointer(out.reserve())));
        Gradients gradients = new Gradients(new double[x.length], new double[hx.length], new double[w.length]);
        get(dx.address(), gradients.dx());
        get(dhx.address(), gradients.dhx());
        get(dw.address(), gradients.dw());
        for (Pointer pointer : new Pointer[] {y, pdy, dx, dhx, dw}) {
            context.memory().free(pointer.address(), 0);
        }
        release(out);
        return gradients;
    }

    private void describe(int cell, int count, boolean bidirectional) {
        directions = bidirectional ? 2 : 1;
        states = count * directions;
        layers = new cudnnRNNStruct();
        CudaStatus.dnn("cudnnCreateRNNDescriptor", cudnn.cudnnCreateRNNDescriptor(layers));
        CudaStatus.dnn(
                "cudnnSetRNNDescriptor_v8",
                cudnn.cudnnSetRNNDescriptor_v8(
                        layers,
                        cudnn.CUDNN_RNN_ALGO_STANDARD,
                        cell,
                        cudnn.CUDNN_RNN_DOUBLE_BIAS,
                        bidirectional ? cudnn.CUDNN_BIDIRECTIONAL : cudnn.CUDNN_UNIDIRECTIONAL,
                        cudnn.CUDNN_LINEAR_INPUT,
                        cudnn.CUDNN_DATA_DOUBLE,
                        cudnn.CUDNN_DATA_DOUBLE,
                        cudnn.CUDNN_DEFAULT_MATH,
                        INPUT,
                        HIDDEN,
                        HIDDEN,
                        count,
                        null,
                        0));
        inputs = sequence(INPUT);
        outputs = sequence(directions * HIDDEN);
    }

    private static cudnnRNNDataStruct sequence(int width) {
        cudnnRNNDataStruct data = new cudnnRNNDataStruct();
        CudaStatus.dnn("cudnnCreateRNNDataDescriptor", cudnn.cudnnCreateRNNDataDescriptor(data));
        int[] lengths = new int[BATCH];
        Arrays.fill(lengths, STEPS);
        CudaStatus.dnn(
                "cudnnSetRNNDataDescriptor",
                cudnn.cudnnSetRNNDataDescriptor(
                        data,
                        cudnn.CUDNN_DATA_DOUBLE,
                        cudnn.CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                        STEPS,
                        BATCH,
                        width,
                        lengths,
                        null));
        return data;
    }

    private int weights() {
        try (SizeTPointer bytes = new SizeTPointer(1)) {
            CudaStatus.dnn(
                    "cudnnGetRNNWeightSpaceSize", cudnn.cudnnGetRNNWeightSpaceSize(context.dnn(), layers, bytes));
            return (int) bytes.get() / 8;
        }
    }

    private long[] temporaries() {
        try (SizeTPointer workspace = new SizeTPointer(1);
                SizeTPointer reserve = new SizeTPointer(1)) {
            CudaStatus.dnn(
                    "cudnnGetRNNTempSpaceSizes",
                    cudnn.cudnnGetRNNTempSpaceSizes(
                            context.dnn(), layers, cudnn.CUDNN_FWD_MODE_TRAINING, inputs, workspace, reserve));
            return new long[] {workspace.get(), reserve.get()};
        }
    }

    private double[] numbers(int count) {
        return random.doubles(count, -1, 1).toArray();
    }

    private long put(double[] values) {
        long address = context.memory().allocate(8L * values.length);
        ByteBuffer buffer = ByteBuffer.allocateDirect(8 * values.length).order(ByteOrder.nativeOrder());
        buffer.asDoubleBuffer().put(values);
        CudaTransfer.toDevice(address, buffer);
        return address;
    }

    private static void get(long address, double[] values) {
        ByteBuffer.wrap(DeviceArrays.bytes(address, 8 * values.length))
                .order(ByteOrder.nativeOrder())
                .asDoubleBuffer()
                .get(values);
    }
}
