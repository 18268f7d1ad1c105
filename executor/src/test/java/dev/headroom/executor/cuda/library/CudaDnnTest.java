package dev.headroom.executor.cuda.library;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.DeviceArrays;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.OverNullCuda;
import dev.headroom.executor.cuda.driver.CudaException;
import dev.headroom.executor.cuda.driver.CudaStatus;
import dev.headroom.executor.cuda.driver.DevicePointer;
import dev.headroom.executor.cuda.runtime.CudaContext;
import dev.headroom.executor.cudnn.ExecutionPlan;
import dev.headroom.executor.cudnn.Heuristics;
import dev.headroom.executor.cudnn.PlanTarget;
import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.bytedeco.cuda.cudnn.cudnnTensorStruct;
import org.bytedeco.cuda.global.cudnn;
import org.bytedeco.javacpp.FloatPointer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The emulated convolutions and batch normalisation against plain loops; cuDNN 9 calls its classic functions
 * deprecated.
 */
@SuppressWarnings("deprecation")
@OverNullCuda
class CudaDnnTest {
    // A convolution with everything: 2 groups, stride 2, padding 1, dilation 2 in height.
    private static final int BATCH = 2;
    private static final int IN = 4;
    private static final int OUT = 6;
    private static final int GROUPS = 2;
    private static final int H = 7;
    private static final int W = 5;
    private static final int KH = 3;
    private static final int KW = 2;
    private static final int OH = (H + 2 - 2 * (KH - 1) - 1) / 2 + 1;
    private static final int OW = (W + 2 - KW) / 2 + 1;

    private final Random random = new Random(3);
    private NullCuda device;

    @BeforeEach
    void emulate() {
        device = NullCuda.install().emulate();
    }

    @AfterEach
    void nothingIsLeft() {
        assertEquals(0, device.liveObjects());
        assertEquals(0, device.liveAllocations());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void convolvesForwardAndBackward(boolean channelsLast) {
        float[] x = DeviceArrays.eighths(random, BATCH * IN * H * W);
        float[] w = DeviceArrays.eighths(random, OUT * (IN / GROUPS) * KH * KW);
        float[] dy = DeviceArrays.eighths(random, BATCH * OUT * OH * OW);
        float[] y = new float[dy.length];
        float[] dx = new float[x.length];
        float[] dw = new float[w.length];
        Shape xs = new Shape(BATCH, IN, H, W, channelsLast);
        Shape ws = new Shape(OUT, IN / GROUPS, KH, KW, channelsLast);
        Shape ys = new Shape(BATCH, OUT, OH, OW, channelsLast);
        for (int n = 0; n < BATCH; n++) {
            for (int o = 0; o < OUT; o++) {
                for (int t = 0; t < OH * OW * (IN / GROUPS) * KH * KW; t++) {
                    int kw = t % KW;
                    int kh = t / KW % KH;
                    int c = t / KW / KH % (IN / GROUPS);
                    int ow = t / KW / KH / (IN / GROUPS) % OW;
                    int oh = t / KW / KH / (IN / GROUPS) / OW;
                    int h = oh * 2 - 1 + kh * 2;
                    int v = ow * 2 - 1 + kw;
                    if (h >= 0 && h < H && v >= 0 && v < W) {
                        int xi = xs.at(n, o / (OUT / GROUPS) * (IN / GROUPS) + c, h, v);
                        int wi = ws.at(o, c, kh, kw);
                        int yi = ys.at(n, o, oh, ow);
                        y[yi] += x[xi] * w[wi];
                        dx[xi] += dy[yi] * w[wi];
                        dw[wi] += dy[yi] * x[xi];
                    }
                }
            }
        }
        device.convolutionWorkspace(1000);
        try (CudaContext context = CudaContext.open(0)) {
            long px = DeviceArrays.put(context, x);
            long pw = DeviceArrays.put(context, w);
            long pdy = DeviceArrays.put(context, dy);
            long py = DeviceArrays.put(context, new float[y.length]);
            long pdx = DeviceArrays.put(context, new float[x.length]);
            long pdw = DeviceArrays.put(context, new float[w.length]);
            long workspace = context.memory().allocate(1000);
            Heuristics heuristics = new Heuristics(PlanTarget.of(context.dnn()));
            try (ExecutionPlan plan = plan(heuristics, problem(Direction.FORWARD, channelsLast))) {
                CudaException refused = assertThrows(
                        CudaException.class, () -> plan.execute(context.dnn(), px, pw, py, 0), "without workspace");
                assertEquals("cudnnBackendExecute", refused.call());
                plan.execute(context.dnn(), px, pw, py, workspace);
            }
            try (ExecutionPlan plan = plan(heuristics, problem(Direction.DATA, channelsLast))) {
                plan.execute(context.dnn(), pdx, pw, pdy, workspace);
            }
            try (ExecutionPlan plan = plan(heuristics, problem(Direction.FILTER, channelsLast))) {
                plan.execute(context.dnn(), px, pdw, pdy, workspace);
            }
            assertArrayEquals(y, DeviceArrays.get(py, y.length));
            assertArrayEquals(dx, DeviceArrays.get(pdx, dx.length));
            assertArrayEquals(dw, DeviceArrays.get(pdw, dw.length));
            assertEquals(3, device.convolutions());
        }
    }

    private static ExecutionPlan plan(Heuristics heuristics, ConvolutionProblem problem) {
        List<ExecutionPlan> plans = new ArrayList<>();
        assertTrue(heuristics.offer(problem, plans::add));
        assertEquals(1000, plans.get(0).workspace());
        return plans.get(0);
    }

    private static ConvolutionProblem problem(Direction direction, boolean channelsLast) {
        List<Long> aligned = List.of(32L, 32L, 32L);
        return new ConvolutionProblem(
                direction,
                DType.FLOAT32,
                channelsLast,
                sizes(BATCH, IN, H, W),
                sizes(OUT, IN / GROUPS, KH, KW),
                sizes(BATCH, OUT, OH, OW),
                sizes(2, 2),
                sizes(1, 1),
                sizes(2, 1),
                aligned);
    }

    private static List<Long> sizes(long... sizes) {
        return Arrays.stream(sizes).boxed().toList();
    }

    @Test
    void normalisesABatchForwardAndBackward() {
        Shape shape = new Shape(3, 2, 2, 2, false);
        int count = 12;
        float[] x = DeviceArrays.eighths(random, 2 * count);
        float[] dy = DeviceArrays.eighths(random, 2 * count);
        try (CudaContext context = CudaContext.open(0);
                FloatPointer one = new FloatPointer(1f);
                FloatPointer zero = new FloatPointer(0f)) {
            DevicePointer px = new DevicePointer(DeviceArrays.put(context, x));
            DevicePointer pdy = new DevicePointer(DeviceArrays.put(context, dy));
            DevicePointer py = new DevicePointer(DeviceArrays.put(context, new float[x.length]));
            DevicePointer scale = new DevicePointer(DeviceArrays.put(context, 2f, 3f));
            DevicePointer bias = new DevicePointer(DeviceArrays.put(context, 1f, -1f));
            DevicePointer runningMean = new DevicePointer(DeviceArrays.put(context, 1f, 1f));
            DevicePointer runningVariance = new DevicePointer(DeviceArrays.put(context, 1f, 1f));
            DevicePointer mean = new DevicePointer(DeviceArrays.put(context, 0f, 0f));
            DevicePointer inverse = new DevicePointer(DeviceArrays.put(context, 0f, 0f));
            context.dnn();
            cudnnTensorStruct xd = shape.tensor();
            cudnnTensorStruct channels = new Shape(1, 2, 1, 1, false).tensor();
            CudaStatus.dnn(
                    "cudnnBatchNormalizationForwardTraining",
                    cudnn.cudnnBatchNormalizationForwardTraining(
                            context.dnn(),
                            cudnn.CUDNN_BATCHNORM_SPATIAL,
                            one,
                            zero,
                            xd,
                            px,
                            xd,
                            py,
                            channels,
                            scale,
                            bias,
                            0.25,
                            runningMean,
                            runningVariance,
                            1e-3,
                            mean,
                            inverse));
            DevicePointer dx = py;
            float[] y = DeviceArrays.get(py.address(), x.length);
            DevicePointer dscale = bias;
            DevicePointer dbias = runningMean;
            float[] newMean = DeviceArrays.get(runningMean.address(), 2);
            CudaStatus.dnn(
                    "cudnnBatchNormalizationBackward",
                    cudnn.cudnnBatchNormalizationBackward(
                            context.dnn(),
                            cudnn.CUDNN_BATCHNORM_SPATIAL,
                            one,
                            zero,
                            one,
                            zero,
                            xd,
                            px,
                            xd,
                            pdy,
                            xd,
                            dx,
                            channels,
                            scale,
                            dscale,
                            dbias,
                            1e-3,
                            mean,
                            inverse));
            float[] dxs = DeviceArrays.get(dx.address(), x.length);
            for (int c = 0; c < 2; c++) {
                double m = 0;
                double v = 0;
                double sum = 0;
                double product = 0;
                for (int n = 0; n < 3; n++) {
                    for (int i = 0; i < 4; i++) {
                        m += x[shape.at(n, c, 0, i)] / (double) count;
                        sum += dy[shape.at(n, c, 0, i)];
                    }
                }
                for (int i = 0; i < count; i++) {
                    v += Math.pow(x[shape.at(i / 4, c, 0, i % 4)] - m, 2) / count;
                }
                double inv = 1 / Math.sqrt(v + 1e-3);
                for (int i = 0; i < count; i++) {
                    int at = shape.at(i / 4, c, 0, i % 4);
                    product += dy[at] * (x[at] - m) * inv;
                    assertEquals((x[at] - m) * inv * (2 + c) + 1 - 2 * c, y[at], 1e-5);
                }
                for (int i = 0; i < count; i++) {
                    int at = shape.at(i / 4, c, 0, i % 4);
                    double normal = (x[at] - m) * inv;
                    assertEquals((2 + c) * inv * (dy[at] - sum / count - normal * product / count), dxs[at], 1e-5);
                }
                assertEquals(0.75 + 0.25 * m, newMean[c], 1e-6);
                assertEquals(
                        0.75 + 0.25 * v * count / (count - 1), DeviceArrays.get(runningVariance.address(), 2)[c], 1e-6);
                assertEquals(product, DeviceArrays.get(dscale.address(), 2)[c], 1e-5);
                assertEquals(sum, DeviceArrays.get(dbias.address(), 2)[c], 1e-5);
            }
            cudnn.cudnnDestroyTensorDescriptor(xd);
            cudnn.cudnnDestroyTensorDescriptor(channels);
        }
    }

    private record Shape(int n, int c, int h, int w, boolean channelsLast) {
        int at(int i, int j, int k, int l) {
            return channelsLast ? ((i * h + k) * w + l) * c + j : ((i * c + j) * h + k) * w + l;
        }

        cudnnTensorStruct tensor() {
            cudnnTensorStruct tensor = new cudnnTensorStruct();
            CudaStatus.dnn("cudnnCreateTensorDescriptor", cudnn.cudnnCreateTensorDescriptor(tensor));
            CudaStatus.dnn(
                    "cudnnSetTensor4dDescriptorEx",
                    cudnn.cudnnSetTensor4dDescriptorEx(
                            tensor,
                            cudnn.CUDNN_DATA_FLOAT,
                            n,
                            c,
                            h,
                            w,
                            c * h * w,
                            channelsLast ? 1 : h * w,
                            channelsLast ? w * c : w,
                            channelsLast ? c : 1));
            return tensor;
        }
    }
}
