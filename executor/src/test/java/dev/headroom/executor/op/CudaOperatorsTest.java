package dev.headroom.executor.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.cuda.CudaBackend;
import dev.headroom.executor.cuda.NullCuda;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operator's results and gradients in single precision: the cuda backend's are the host's. So are the CUDA text
 * and the Java function of every formula. The device is emulated unless {@code -Dheadroom.test.cuda=real}.
 */
class CudaOperatorsTest {
    /** Of the difference's Euclidean norm, relative to the values' norm. */
    private static final double TOLERANCE = 2e-6;

    /** A real device multiplies in convolutions with 10 bits behind the point. */
    private static final double REAL_TOLERANCE = 2e-3;

    static Stream<Example> examples() {
        return Examples.all().stream().filter(Example::isComparable);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void backendsAgree(Example example) {
        if (!NullCuda.isReal()) {
            NullCuda.install().emulate();
        }
        try (ExampleRun host = new ExampleRun(example, DType.FLOAT32);
                ExampleRun cuda = new ExampleRun(example, DType.FLOAT32, CudaBackend.open(0))) {
            List<double[]> expected = host.forward();
            List<double[]> found = cuda.forward();
            assertEquals(expected.size(), found.size());
            for (int i = 0; i < expected.size(); i++) {
                same(expected.get(i), found.get(i), "result " + i);
            }
            List<double[]> weights = weights(expected);
            Map<String, double[]> gradients = cuda.gradients(weights);
            host.gradients(weights).forEach((name, g) -> same(g, gradients.get(name), "gradient of " + name));
        }
    }

    private static List<double[]> weights(List<double[]> results) {
        Random random = new Random(results.size());
        List<double[]> weights = new ArrayList<>();
        for (double[] r : results) {
            weights.add(r == null ? null : random.doubles(r.length, 0.5, 1).toArray());
        }
        return weights;
    }

    private static void same(double[] expected, double[] found, String what) {
        if (expected == null) {
            assertArrayEquals(expected, found, what);
            return;
        }
        assertEquals(expected.length, found.length, what);
        double difference = 0;
        double size = 0;
        for (int i = 0; i < expected.length; i++) {
            if (Double.compare(expected[i], found[i]) != 0) {
                difference += (found[i] - expected[i]) * (found[i] - expected[i]);
            }
            size += Double.isFinite(expected[i]) ? expected[i] * expected[i] : 0;
        }
        double limit = NullCuda.isReal() ? REAL_TOLERANCE : TOLERANCE;
        double error = Math.sqrt(difference);
        // Sums that cancel leave the error of their terms, which are near 1.
        assertTrue(error <= limit * Math.max(1, Math.sqrt(size)), what + ": error " + error);
    }
}
