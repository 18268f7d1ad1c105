package dev.headroom.executor.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.executor.cuda.BothBackends.Values;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.kernel.ReductionKernels.Scan;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Element-wise kernels, reductions, products and random numbers: the cuda backend's results are the host's. */
class CudaAgainstHostTest extends OnBothBackends {
    private static final double SINGLE = 1e-6;
    private static final double HALF = 2e-3;
    private static final double[] NO_NUMBERS = {};

    private static final Formula SUM = Formula.binary("test_sum", "x0 + x1", Double::sum);
    private static final Formula PARTS = new Formula(
            "test_parts", "real both = x0 * s0; y0 = both + x1; y1 = x2 > s1 ? exp(both) : tanh(x1);", (x, s, y) -> {
                y[0] = x[0] * s[0] + x[1];
                y[1] = x[2] > s[1] ? Math.exp(x[0] * s[0]) : Math.tanh(x[1]);
            });

    private static Tensor[] results(Tensor... t) {
        return t;
    }

    @ParameterizedTest
    @EnumSource(
            names = {"FLOAT64", "FLOAT32", "FLOAT16", "BFLOAT16", "INT64", "INT32", "INT16", "INT8", "UINT8", "BOOL"})
    void everyTypeBecomesSingleAndBack(DType type) {
        both.compare(
                0, List.of(Values.of(type, 3, 70), Values.of(DType.FLOAT32, 3, 70), Values.of(type, 3, 70)), (b, t) -> {
                    b.elementwise().map(Formula.COPY, NO_NUMBERS, results(t[1]), t[0]);
                    b.elementwise().map(Formula.COPY, NO_NUMBERS, results(t[2]), t[1]);
                });
    }

    @Test
    void severalResultsOfBroadcastAndTransposedOperands() {
        both.compare(
                SINGLE,
                List.of(
                        Values.of(DType.FLOAT32, 4, 5, 6),
                        Values.strided(DType.FLOAT32, new long[] {4, 5, 6}, new long[] {1, 24, 4}),
                        Values.strided(DType.FLOAT16, new long[] {4, 5, 6}, new long[] {1, 4, 20}),
                        Values.of(DType.BFLOAT16, 5, 1),
                        Values.strided(DType.FLOAT32, new long[] {4, 1, 6}, new long[] {100, 7, 3})),
                (b, t) -> b.elementwise().map(PARTS, new double[] {0.5, 0.1}, results(t[0], t[1]), t[2], t[3], t[4]));
    }

    @Test
    void numbersInHostMemoryAndNoElements() {
        both.compare(
                SINGLE,
                List.of(
                        Values.of(DType.FLOAT32, 9),
                        Values.number(DType.FLOAT64, 2.5),
                        Values.of(DType.FLOAT32, 0, 3),
                        Values.of(DType.FLOAT32, 3)),
                (b, t) -> {
                    b.elementwise().map(SUM, NO_NUMBERS, results(t[0]), t[1], t[0]);
                    b.elementwise().map(SUM, NO_NUMBERS, results(t[2]), t[2], t[3]);
                });
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void reductionsOfAnyDimensions(Kind kind) {
        both.compare(
                SINGLE,
                List.of(
                        Values.of(DType.FLOAT32, 1, 1, 1),
                        Values.of(DType.FLOAT32, 7, 1, 1),
                        Values.of(DType.FLOAT32, 1, 1, 40),
                        Values.of(DType.FLOAT64, 7, 1, 40),
                        Values.strided(DType.FLOAT32, new long[] {7, 50, 40}, new long[] {2000, 1, 50}),
                        Values.of(DType.FLOAT32, 7, 50, 40)),
                (b, t) -> {
                    for (int i = 0; i < 4; i++) {
                        b.reductions().reduce(kind, t[i], t[i % 2 == 0 ? 4 : 5]);
                    }
                });
    }

    @Test
    void reductionsOfOtherTypes() {
        both.compare(
                HALF,
                List.of(
                        Values.of(DType.INT64, 1, 33),
                        Values.of(DType.BOOL, 70, 33),
                        Values.of(DType.BFLOAT16, 70, 1),
                        Values.of(DType.BFLOAT16, 70, 33),
                        Values.of(DType.INT64),
                        Values.of(DType.INT64)),
                (b, t) -> {
                    b.reductions().reduce(Kind.SUM, t[0], t[1]);
                    b.reductions().reduce(Kind.MEAN, t[2], t[3]);
                    b.reductions().reduce(Kind.MAX, t[4], t[5]);
                });
    }

    @Test
    void runningSums() {
        both.compare(
                SINGLE,
                List.of(
                        Values.of(DType.FLOAT32, 3, 50, 4),
                        Values.strided(DType.FLOAT32, new long[] {3, 50, 4}, new long[] {1, 12, 3}),
                        Values.of(DType.INT64, 300),
                        Values.of(DType.BOOL, 300)),
                (b, t) -> {
                    b.reductions().scan(Scan.SUM, t[0], null, t[1], 1);
                    b.reductions().scan(Scan.SUM, t[2], null, t[3], 0);
                });
    }

    /** Strides of the operands' last two dimensions: row by row, column by column, with gaps, repeated. */
    @ParameterizedTest
    @CsvSource({"20,1,1,7", "1,5,12,1", "40,1,1,30", "1,9,0,1", "40,2,30,3"})
    void products(long aRow, long aColumn, long bRow, long bColumn) {
        for (DType type : new DType[] {DType.FLOAT32, DType.FLOAT64, DType.FLOAT16, DType.BFLOAT16, DType.INT64}) {
            both.compare(
                    type.isReducedFloat() ? 8e-3 : SINGLE,
                    List.of(
                            Values.of(type, 5, 12),
                            Values.strided(type, new long[] {5, 7}, new long[] {aRow, aColumn}),
                            Values.strided(type, new long[] {7, 12}, new long[] {bRow, bColumn}),
                            Values.strided(type, new long[] {5, 12}, new long[] {1, 6})),
                    (b, t) -> {
                        b.matrices().multiply(t[0], t[1], t[2], 1, 0, null);
                        b.matrices().multiply(t[3], t[1], t[2], 0.5, 2, null);
                    });
        }
    }

    @Test
    void batchesOfProducts() {
        both.compare(
                SINGLE,
                List.of(
                        Values.of(DType.FLOAT32, 2, 3, 4, 6),
                        Values.strided(DType.FLOAT32, new long[] {2, 3, 4, 5}, new long[] {60, 5, 15, 1}),
                        Values.strided(DType.FLOAT32, new long[] {2, 3, 5, 6}, new long[] {31, 62, 1, 5}),
                        Values.of(DType.FLOAT32, 2, 3, 1, 1),
                        Values.of(DType.FLOAT32, 2, 3, 1, 0),
                        Values.of(DType.FLOAT32, 2, 3, 0, 1),
                        Values.of(DType.FLOAT32, 2, 3, 4, 1),
                        Values.of(DType.FLOAT32, 2, 3, 5, 1)),
                (b, t) -> {
                    b.matrices().multiply(t[0], t[1], t[2], 1, 0, null);
                    b.matrices().multiply(t[3], t[4], t[5], 1, 0, null);
                    b.matrices().multiply(t[6], t[1], t[7], 1, 1, null);
                });
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT64", "FLOAT32", "FLOAT16", "BFLOAT16", "INT64", "BOOL"})
    void randomNumbersAreTheSame(DType type) {
        both.compare(
                0,
                List.of(
                        Values.of(type, 1000),
                        Values.strided(type, new long[] {10, 20}, new long[] {1, 10}),
                        Values.of(type, 1000)),
                (b, t) -> {
                    b.random().uniform(t[0], -0.37, 3.1, 12345);
                    b.random().uniform(t[1], 0, 7, -9);
                    b.random().bernoulli(t[2], 0.3, 99);
                });
    }

    @Test
    void workspacesGoToAHandleEach() {
        Eager e = BothBackends.eager(both.cuda());
        try (Scope s = e.open()) {
            Tensor a = e.empty(DType.FLOAT32, 3, 3);
            Tensor out = e.empty(DType.FLOAT32, 3, 3);
            both.cuda().write(a, new double[] {1, 2, 3, 4, 5, 6, 7, 8, 9});
            for (Tensor workspace : new Tensor[] {e.workspace(1 << 20), e.workspace(1 << 20)}) {
                both.cuda().matrices().multiply(out, a, a, 1, 0, workspace);
                assertArrayEquals(
                        new double[] {30, 36, 42, 66, 81, 96, 102, 126, 150},
                        both.cuda().read(out));
            }
        }
        assertEquals("cuda", both.cuda().name());
    }
}
