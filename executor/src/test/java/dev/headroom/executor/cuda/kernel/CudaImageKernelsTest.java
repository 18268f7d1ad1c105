package dev.headroom.executor.cuda.kernel;

import dev.headroom.executor.cuda.BothBackends;
import dev.headroom.executor.cuda.BothBackends.Values;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.executor.cuda.OnBothBackends;
import dev.headroom.executor.kernel.BatchNormCall;
import dev.headroom.executor.kernel.BatchNormCall.Library;
import dev.headroom.executor.kernel.BatchNormCall.Running;
import dev.headroom.executor.kernel.ConvolutionCall;
import dev.headroom.executor.kernel.ConvolutionKernels.Direction;
import dev.headroom.executor.kernel.ConvolutionKernels.Geometry;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.GivenNormCall;
import dev.headroom.executor.kernel.GroupNormCall;
import dev.headroom.executor.kernel.NormGradients;
import dev.headroom.executor.kernel.PoolingKernels;
import dev.headroom.executor.kernel.PoolingKernels.Scaling;
import dev.headroom.executor.kernel.PoolingKernels.Window;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Convolutions, pooling, resampling, batch and group normalisation: the cuda backend's results are the host's. */
class CudaImageKernelsTest extends OnBothBackends {

    private static double tolerance(DType type) {
        // A device computes single precision in TF32, with 10 bits behind the point.
        boolean real = NullCuda.isReal();
        return switch (type) {
            case FLOAT64 -> 1e-12;
            case FLOAT32 -> real ? 2e-3 : 2e-6;
            case FLOAT16 -> 2e-3;
            default -> 8e-3;
        };
    }

    private static Values image(boolean channelsLast, DType type, long... sizes) {
        return channelsLast ? Values.channelsLast(type, sizes) : Values.of(type, sizes);
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT32, false, 1, 1, 1, 1",
        "FLOAT64, false, 2, 1, 1, 2",
        "FLOAT16, true, 1, 2, 2, 1",
        "BFLOAT16, false, 1, 1, 1, 4",
        "FLOAT32, true, 2, 0, 1, 2"
    })
    void convolutionsInAllDirections(
            DType type, boolean channelsLast, long stride, long padding, long dilation, long groups) {
        long height = (9 + 2 * padding - dilation * 2 - 1) / stride + 1;
        long width = (8 + 2 * padding - dilation - 1) / stride + 1;
        Geometry g = new Geometry(
                new long[] {stride, stride}, new long[] {padding, padding}, new long[] {dilation, dilation}, groups);
        convolve(
                tolerance(type),
                g,
                image(channelsLast, type, 2, 4, 9, 8),
                image(channelsLast, type, 8, 4 / groups, 3, 2),
                image(channelsLast, type, 2, 8, height, width));
    }

    @Test
    void depthwiseConvolutionsAndVolumes() {
        DType type = DType.FLOAT32;
        Geometry depthwise = new Geometry(new long[] {2, 1}, new long[] {1, 2}, new long[] {1, 2}, 6);
        Values input = Values.of(type, 2, 6, 7, 6);
        Values weight = Values.of(type, 12, 1, 3, 3);
        Values output = Values.of(type, 2, 12, 4, 6);
        convolve(tolerance(type), depthwise, input, weight, output);
        for (Direction d : Direction.values()) {
            both.compare(tolerance(type), List.of(input, weight, output), (b, t) -> b.convolutions()
                    .convolveDirectly(new ConvolutionCall(d, t[0], t[1], t[2], depthwise)));
        }
        Geometry volume = new Geometry(new long[] {1, 2, 1}, new long[] {0, 1, 1}, new long[] {1, 1, 1}, 1);
        convolve(
                tolerance(type),
                volume,
                Values.of(type, 2, 3, 4, 5, 6),
                Values.of(type, 5, 3, 2, 3, 3),
                Values.of(type, 2, 5, 3, 3, 6));
    }

    private static void convolve(double tolerance, Geometry g, Values input, Values weight, Values output) {
        for (Direction d : Direction.values()) {
            both.compare(tolerance, List.of(input, weight, output), (b, t) -> {
                try (Eager e = BothBackends.eager(b);
                        Scope s = e.open()) {
                    b.convolutions().convolve(new ConvolutionCall(d, t[0], t[1], t[2], g), e::withWorkspace);
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void directConvolutionsAreCudnns(Direction d) {
        Geometry g = new Geometry(new long[] {2, 1}, new long[] {1, 0}, new long[] {1, 2}, 2);
        DirectConvolutions direct =
                new DirectConvolutions(new KernelFiles(both.cuda().context()));
        both.compare(
                1e-12,
                List.of(
                        Values.of(DType.FLOAT64, 2, 4, 6, 7),
                        Values.of(DType.FLOAT64, 6, 2, 3, 2),
                        Values.of(DType.FLOAT64, 2, 6, 3, 5)),
                (b, t) -> {
                    if (b == both.cuda()) {
                        direct.convolve(new ConvolutionCall(d, t[0], t[1], t[2], g));
                    } else {
                        b.convolutions().convolveDirectly(new ConvolutionCall(d, t[0], t[1], t[2], g));
                    }
                });
    }

    @ParameterizedTest
    @CsvSource({"FLOAT32, false", "FLOAT16, true", "FLOAT64, false", "BFLOAT16, true"})
    void batchNormalisation(DType type, boolean channelsLast) {
        DType weights = type.isReducedFloat() ? DType.FLOAT32 : type;
        both.compare(
                tolerance(type),
                List.of(
                        image(channelsLast, type, 4, 5, 3, 6),
                        image(channelsLast, type, 4, 5, 3, 6),
                        Values.of(weights, 5),
                        Values.of(weights, 5),
                        Values.of(weights, 5),
                        Values.between(0.5, 1, weights, 5),
                        Values.of(weights, 5),
                        Values.of(weights, 5)),
                (b, t) -> b.normalizations()
                        .batchNorm(
                                new BatchNormCall(t[1], t[2], t[3], t[6], t[7], 1e-5, null),
                                new Running(t[4], t[5], 0.1),
                                t[0]));
        both.compare(
                tolerance(type),
                List.of(
                        image(channelsLast, type, 4, 5, 3, 6),
                        image(channelsLast, type, 4, 5, 3, 6),
                        Values.of(weights, 5),
                        Values.of(weights, 5),
                        Values.of(weights, 5),
                        Values.between(0.5, 1, weights, 5)),
                (b, t) -> b.normalizations().givenNorm(new GivenNormCall(t[1], t[2], t[3], t[4], t[5], 1e-5), t[0]));
        for (boolean evaluated : new boolean[] {true, false}) {
            both.compare(
                    tolerance(type),
                    List.of(
                            image(channelsLast, type, 4, 5, 3, 6),
                            Values.of(weights, 5),
                            Values.of(weights, 5),
                            image(channelsLast, type, 4, 5, 3, 6),
                            image(channelsLast, type, 4, 5, 3, 6),
                            Values.of(weights, 5),
                            Values.of(weights, 5),
                            Values.between(0.5, 1, weights, 5)),
                    (b, t) -> {
                        var n = b.normalizations();
                        NormGradients gradients = new NormGradients(t[0], t[1], t[2]);
                        if (evaluated) {
                            n.givenNormBackward(new GivenNormCall(t[4], t[5], null, t[6], t[7], 1e-5), t[3], gradients);
                        } else {
                            n.batchNormBackward(
                                    new BatchNormCall(t[4], t[5], null, t[6], t[7], 1e-5, null), t[3], gradients);
                        }
                    });
        }
    }

    @ParameterizedTest
    @CsvSource({"FLOAT32, false", "FLOAT16, true", "FLOAT64, false"})
    void batchNormalisationByTheLibrary(DType type, boolean channelsLast) {
        DType weights = type.isReducedFloat() ? DType.FLOAT32 : type;
        both.compare(
                tolerance(type),
                List.of(
                        image(channelsLast, type, 4, 5, 3, 6),
                        image(channelsLast, type, 4, 5, 3, 6),
                        Values.of(weights, 5),
                        Values.of(weights, 5),
                        Values.of(weights, 5),
                        Values.between(0.5, 1, weights, 5),
                        Values.of(weights, 5),
                        Values.of(weights, 5),
                        Values.of(DType.UINT8, 0),
                        image(channelsLast, type, 4, 5, 3, 6),
                        Values.of(weights, 5),
                        Values.of(weights, 5),
                        Values.between(0, 3, type, 4, 5, 3, 6)),
                (b, t) -> {
                    BatchNormCall call = new BatchNormCall(t[1], t[2], t[3], t[6], t[7], 1e-5, new Library(t[8], t[8]));
                    var n = b.normalizations();
                    n.batchNorm(call, new Running(t[4], t[5], 0.1), t[0]);
                    // The gradient lies as the operand does.
                    b.elementwise().map(Formula.COPY, new double[0], new Tensor[] {t[0]}, t[12]);
                    n.batchNormBackward(call, t[0], new NormGradients(t[9], t[10], t[11]));
                });
    }

    @Test
    void batchNormalisationWithoutWhatIsOptional() {
        DType type = DType.FLOAT32;
        both.compare(
                tolerance(type),
                List.of(
                        Values.of(type, 40, 5),
                        Values.of(type, 40, 5),
                        Values.of(type, 5),
                        Values.of(type, 5),
                        Values.between(0, 3, type, 40, 5)),
                (b, t) -> {
                    BatchNormCall call = new BatchNormCall(t[1], null, null, t[2], t[3], 1e-5, null);
                    b.normalizations().batchNorm(call, new Running(null, null, 0.1), t[0]);
                    b.normalizations().batchNormBackward(call, t[4], new NormGradients(t[0], null, null));
                });
        both.compare(
                tolerance(type),
                List.of(
                        Values.of(type, 5),
                        Values.of(type, 40, 5),
                        Values.of(type, 40, 5),
                        Values.of(type, 5),
                        Values.of(type, 5)),
                (b, t) -> b.normalizations()
                        .batchNormBackward(
                                new BatchNormCall(t[2], null, null, t[3], t[4], 1e-5, null),
                                t[1],
                                new NormGradients(null, null, t[0])));
    }

    @ParameterizedTest
    @CsvSource({"FLOAT32, false", "FLOAT16, true", "FLOAT64, false"})
    void groupNormalisation(DType type, boolean channelsLast) {
        DType statistics = type.isReducedFloat() ? DType.FLOAT32 : type;
        both.compare(
                tolerance(type),
                List.of(
                        image(channelsLast, type, 3, 6, 4, 5),
                        image(channelsLast, type, 3, 6, 4, 5),
                        Values.of(type, 6),
                        Values.of(type, 6),
                        Values.of(statistics, 3, 2),
                        Values.of(statistics, 3, 2),
                        image(channelsLast, type, 3, 6, 4, 5),
                        Values.of(type, 6),
                        Values.of(type, 6),
                        Values.between(0, 3, type, 3, 6, 4, 5)),
                (b, t) -> {
                    var n = b.normalizations();
                    GroupNormCall call = new GroupNormCall(t[1], t[2], t[3], t[4], t[5], 2, 1e-5);
                    n.groupNorm(call, t[0]);
                    n.groupNormBackward(call, t[9], new NormGradients(t[6], t[7], t[8]));
                });
    }

    @ParameterizedTest
    @CsvSource({"FLOAT32, false", "FLOAT16, true", "BFLOAT16, false", "FLOAT64, true"})
    void pooling(DType type, boolean channelsLast) {
        Window w = new Window(new long[] {3, 2}, new long[] {2, 2}, new long[] {1, 0}, new long[] {1, 2});
        both.compare(
                tolerance(type),
                List.of(
                        image(channelsLast, type, 2, 3, 4, 4),
                        image(channelsLast, DType.INT64, 2, 3, 4, 4),
                        image(channelsLast, type, 2, 3, 8, 9),
                        image(channelsLast, type, 2, 3, 8, 9),
                        Values.of(type, 2, 3, 4, 4)),
                (b, t) -> {
                    b.poolings().maxPool(t[0], t[1], t[2], w);
                    b.poolings().maxPoolBackward(t[3], t[4], t[1]);
                });
        Window plain = new Window(new long[] {3, 2}, new long[] {2, 1}, new long[] {1, 1}, new long[] {1, 1});
        for (int way = 0; way < 3; way++) {
            boolean padded = way == 1;
            long divisor = way == 2 ? 5 : 0;
            both.compare(
                    tolerance(type),
                    List.of(
                            image(channelsLast, type, 2, 3, 5, 9),
                            image(channelsLast, type, 2, 3, 9, 8),
                            image(channelsLast, type, 2, 3, 9, 8),
                            Values.of(type, 2, 3, 5, 9)),
                    (b, t) -> {
                        b.poolings().averagePool(t[0], t[1], plain, padded, divisor);
                        b.poolings().averagePoolBackward(t[2], t[3], plain, padded, divisor);
                    });
        }
    }

    @Test
    void adaptivePooling() {
        DType type = DType.FLOAT32;
        for (long[] out : new long[][] {{1, 1}, {3, 4}, {10, 7}}) {
            both.compare(
                    tolerance(type),
                    List.of(
                            Values.of(type, 2, 3, out[0], out[1]),
                            Values.channelsLast(type, 2, 3, 7, 9),
                            Values.of(type, 2, 3, 7, 9),
                            Values.of(type, 2, 3, out[0], out[1])),
                    (b, t) -> {
                        b.poolings().adaptiveAveragePool(t[0], t[1]);
                        b.poolings().adaptiveAveragePoolBackward(t[2], t[3]);
                    });
        }
    }

    @Test
    void resampling() {
        DType type = DType.FLOAT32;
        List<Scaling> scalings = List.of(
                new Scaling(false, new double[] {0, 0}),
                new Scaling(true, new double[] {0, 0}),
                new Scaling(false, new double[] {2.1, 1.9}));
        for (Scaling s : scalings) {
            List<Values> values = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                values.add(Values.of(type, 2, 3, 10, 11));
                values.add(Values.channelsLast(type, 2, 3, 5, 6));
                values.add(Values.of(type, 2, 3, 5, 6));
                values.add(Values.channelsLast(type, 2, 3, 10, 11));
            }
            both.compare(tolerance(type), values, (b, t) -> resample(b.poolings(), s, t));
        }
    }

    private static void resample(PoolingKernels p, Scaling s, Tensor... t) {
        p.nearest(t[0], t[1], s);
        p.nearestBackward(t[2], t[3], s);
        p.bilinear(t[4], t[5], s);
        p.bilinearBackward(t[6], t[7], s);
    }

    @Test
    void extremesAndMoments() {
        both.compare(
                1e-6,
                List.of(
                        Values.of(DType.FLOAT32, 3, 1, 4),
                        Values.of(DType.INT64, 3, 1, 4),
                        Values.of(DType.FLOAT32, 3, 500, 4),
                        Values.of(DType.INT64, 1, 300),
                        Values.of(DType.INT32, 7, 300),
                        Values.of(DType.FLOAT32, 3, 1, 1),
                        Values.of(DType.FLOAT32, 3, 1, 1),
                        Values.of(DType.INT64)),
                (b, t) -> {
                    b.reductions().extremes(Kind.MAX, t[0], t[1], t[2], 1);
                    b.reductions().extremes(Kind.MIN, null, t[3], t[4], 0);
                    b.reductions().moments(t[5], t[6], t[2], 1);
                    b.reductions().extremes(Kind.MIN, null, t[7], t[7], 0);
                });
    }
}
