package dev.headroom.executor.cuda.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.BothBackends;
import dev.headroom.executor.cuda.BothBackends.Values;
import dev.headroom.executor.cuda.OnBothBackends;
import dev.headroom.executor.kernel.AttentionCall;
import dev.headroom.executor.kernel.AttentionCall.Spec;
import dev.headroom.executor.kernel.ClassLossCall;
import dev.headroom.executor.kernel.LayerNormCall;
import dev.headroom.executor.kernel.NormGradients;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Softmax, layer normalisation, attention, indexing and class losses: the cuda backend's results are the host's. */
class CudaSequenceKernelsTest extends OnBothBackends {
    private static double tolerance(DType type) {
        return switch (type) {
            case FLOAT64 -> 1e-12;
            case FLOAT32 -> 2e-6;
            case FLOAT16 -> 2e-3;
            default -> 1.2e-2;
        };
    }

    @ParameterizedTest
    @CsvSource({"FLOAT32, 2", "FLOAT16, 1", "BFLOAT16, 0", "FLOAT64, 1"})
    void softmax(DType type, int dim) {
        for (boolean log : new boolean[] {false, true}) {
            both.compare(
                    tolerance(type),
                    List.of(
                            Values.of(type, 3, 40, 300),
                            Values.between(-30, 30, type, 3, 40, 300),
                            Values.between(0, 3, type, 3, 40, 300),
                            Values.of(type, 3, 40, 300)),
                    (b, t) -> {
                        b.softmaxes().softmax(t[0], t[1], dim, log);
                        b.softmaxes().softmaxBackward(t[3], t[2], t[0], dim, log);
                    });
        }
    }

    @Test
    void softmaxIntoAnotherTypeAndOfOneElement() {
        both.compare(
                tolerance(DType.FLOAT16),
                List.of(
                        Values.of(DType.FLOAT32, 3, 7),
                        Values.of(DType.FLOAT16, 3, 7),
                        Values.of(DType.FLOAT16, 3, 7),
                        Values.of(DType.FLOAT32, 3, 7),
                        Values.of(DType.FLOAT32),
                        Values.of(DType.FLOAT32)),
                (b, t) -> {
                    b.softmaxes().softmax(t[0], t[1], 1, true);
                    b.softmaxes().softmaxBackward(t[2], t[3], t[0], 1, true);
                    b.softmaxes().softmax(t[4], t[5], 0, false);
                });
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT64", "FLOAT32", "FLOAT16", "BFLOAT16"})
    void layerNormalisation(DType type) {
        DType statistics = type.isReducedFloat() ? DType.FLOAT32 : type;
        both.compare(
                tolerance(type),
                List.of(
                        Values.of(type, 50, 70),
                        Values.of(statistics, 50),
                        Values.of(statistics, 50),
                        Values.of(type, 50, 70),
                        Values.of(type, 70),
                        Values.of(type, 70),
                        Values.of(type, 50, 70),
                        Values.of(type, 70),
                        Values.of(type, 70),
                        Values.between(0, 3, type, 50, 70)),
                (b, t) -> {
                    var n = b.normalizations();
                    LayerNormCall call = new LayerNormCall(t[3], t[4], t[5], t[1], t[2], 1e-5);
                    n.layerNorm(call, t[0]);
                    n.layerNormBackward(call, t[9], new NormGradients(t[6], t[7], t[8]));
                });
    }

    @Test
    void layerNormalisationWithoutWeights() {
        DType type = DType.FLOAT32;
        both.compare(
                tolerance(type),
                List.of(
                        Values.of(type, 5, 7),
                        Values.of(type, 5),
                        Values.of(type, 5),
                        Values.of(type, 5, 7),
                        Values.of(type, 5, 7),
                        Values.of(type, 5, 7)),
                (b, t) -> {
                    LayerNormCall call = new LayerNormCall(t[3], null, null, t[1], t[2], 1e-5);
                    b.normalizations().layerNorm(call, t[0]);
                    b.normalizations().layerNormBackward(call, t[5], new NormGradients(t[4], null, null));
                });
    }

    /** A query's, a key's and a value's size, heads, and whether there is a bias, a triangle, dropout. */
    @ParameterizedTest
    @CsvSource({
        "FLOAT32, 5, 7, 4, 4, 2, 2, false, false, 0",
        "FLOAT64, 150, 150, 6, 8, 2, 1, false, true, 0",
        "FLOAT32, 9, 140, 8, 5, 4, 2, true, false, 0",
        "FLOAT16, 20, 20, 8, 8, 2, 2, false, true, 0.25",
        "BFLOAT16, 20, 30, 8, 8, 2, 2, true, false, 0.1",
        "FLOAT32, 6, 4, 3, 3, 1, 1, true, true, 0.5"
    })
    void attention(
            DType type,
            long queries,
            long keys,
            long size,
            long valueSize,
            long heads,
            long keyHeads,
            boolean biased,
            boolean causal,
            double dropout) {
        DType sums = type.isReducedFloat() ? DType.FLOAT32 : type;
        Spec spec = new Spec(0.7, causal, dropout, 1234);
        // Heads inside rows, as the views of a projection's result are.
        long[] qSizes = {2, heads, queries, size};
        long[] qStrides = {queries * heads * size, size, heads * size, 1};
        both.compare(
                2 * tolerance(type),
                List.of(
                        Values.of(type, 2, heads, queries, valueSize),
                        Values.of(sums, 2, heads, queries),
                        Values.strided(type, qSizes, qStrides),
                        Values.between(-1, 2, type, 2, keyHeads, keys, size),
                        Values.of(type, 2, keyHeads, keys, valueSize),
                        biased ? Values.of(type, heads, 1, keys) : Values.none(),
                        Values.of(type, qSizes),
                        Values.of(type, 2, keyHeads, keys, size),
                        Values.of(type, 2, heads, keys, valueSize),
                        biased ? Values.of(type, 2, heads, queries, keys) : Values.none(),
                        Values.between(-1, 2, type, 2, heads, queries, valueSize)),
                (b, t) -> {
                    AttentionCall call = new AttentionCall(t[2], t[3], t[4], t[5], t[0], t[1], spec);
                    b.attention().attention(call);
                    b.attention().attentionBackward(call, t[10], new AttentionCall.Gradients(t[6], t[7], t[8], t[9]));
                });
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT64", "FLOAT32", "FLOAT16", "BFLOAT16", "INT64", "INT32", "BOOL"})
    void elementsByIndices(DType type) {
        double tolerance = type == DType.BFLOAT16 ? 4e-2 : type == DType.FLOAT16 ? 4e-3 : 1e-6;
        both.compare(
                tolerance,
                List.of(
                        Values.of(type, 4, 30, 6),
                        Values.strided(type, new long[] {9, 6}, new long[] {1, 9}),
                        Values.below(9, DType.INT64, 4, 30)),
                (b, t) -> {
                    b.indexing().index(t[0], t[1], new Tensor[] {t[2], null});
                    b.indexing().indexAdd(t[1], new Tensor[] {t[2], null}, t[0], type.isFloatingPoint() ? -0.5 : 1);
                });
        both.compare(
                0,
                List.of(
                        Values.of(type, 4, 8, 5, 2),
                        Values.of(type, 5, 2, 4, 3),
                        Values.of(type, 5, 4, 8, 3, 7),
                        Values.of(type, 4, 8, 3, 7),
                        Values.below(3, DType.INT64, 5, 1),
                        Values.below(7, DType.INT64, 2)),
                (b, t) -> {
                    b.indexing().index(t[0], t[3], new Tensor[] {null, null, t[4], t[5]});
                    b.indexing().index(t[1], t[3], new Tensor[] {null, t[4], null, t[5]});
                    b.indexing().index(t[2], t[2], new Tensor[] {null, null});
                });
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT32", "FLOAT16", "INT64"})
    void elementsAlongADimension(DType type) {
        for (int dim = 0; dim < 2; dim++) {
            int d = dim;
            both.compare(
                    type == DType.FLOAT16 ? 4e-3 : 1e-6,
                    List.of(
                            Values.of(type, 3, 4),
                            Values.strided(type, new long[] {5, 6}, new long[] {1, 5}),
                            Values.below(5, DType.INT64, 3, 4),
                            Values.between(-1, 2, type, 4, 6)),
                    (b, t) -> {
                        b.indexing().gather(t[0], t[1], d, t[2]);
                        b.indexing().scatterAdd(t[1], d, t[2], t[3]);
                    });
        }
    }

    @Test
    void rangesAndTriangles() {
        both.compare(
                0,
                List.of(
                        Values.of(DType.INT64, 12),
                        Values.of(DType.FLOAT32, 12),
                        Values.of(DType.BOOL, 2, 4, 5),
                        Values.of(DType.BOOL, 2, 4, 5),
                        Values.of(DType.FLOAT32, 4, 5),
                        Values.strided(DType.FLOAT32, new long[] {4, 5}, new long[] {1, 4})),
                (b, t) -> {
                    b.indexing().range(t[0], 3, 2);
                    b.indexing().range(t[1], -0.3, 0.1);
                    b.indexing().triangle(t[2], t[3], -1, false);
                    b.indexing().triangle(t[4], t[5], 1, true);
                });
    }

    @ParameterizedTest
    @CsvSource({"false, false, false", "true, false, true", "false, true, true"})
    void classLosses(boolean each, boolean mean, boolean weighted) {
        for (DType type : new DType[] {DType.FLOAT32, DType.BFLOAT16, DType.FLOAT64}) {
            both.compare(
                    tolerance(type),
                    List.of(
                            each ? Values.of(type, 3, 5) : Values.of(type),
                            Values.of(type),
                            Values.of(type, 3, 7, 5),
                            Values.below(7, DType.INT64, 3, 5),
                            weighted ? Values.between(0.5, 2, type, 7) : Values.none(),
                            Values.between(0, 0, type, 3, 7, 5),
                            each ? Values.of(type, 3, 5) : Values.of(type)),
                    (b, t) -> {
                        var i = b.indexing();
                        ClassLossCall call = new ClassLossCall(t[3], t[4], t[1], 2, each, mean);
                        i.classLoss(call, t[2], t[0]);
                        i.classLossBackward(call, t[6], t[5]);
                    });
        }
    }

    @Test
    void indicesOutOfRangeReachNothing() {
        Eager e = BothBackends.eager(both.cuda());
        try (Scope s = e.open()) {
            Tensor x = e.empty(DType.FLOAT32, 3);
            Tensor index = e.empty(DType.INT64, 4);
            Tensor out = e.empty(DType.FLOAT32, 4);
            both.cuda().write(x, new double[] {1, 2, 3});
            both.cuda().write(index, new double[] {-1, 3, 0, -4});
            both.cuda().indexing().index(out, x, new Tensor[] {index});
            double[] found = both.cuda().read(out);
            assertEquals(List.of(3.0, 1.0), List.of(found[0], found[2]));
            assertTrue(Double.isNaN(found[1]) && Double.isNaN(found[3]));
        }
    }
}
