package dev.headroom.executor.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operator's gradients against central differences in double precision; other precisions against that. */
class GradientCheckTest {
    private static final double STEP = 1e-5;
    private static final double TOLERANCE = 1e-6;

    /** Where something in between is in single precision. */
    private static final double NARROW_STEP = 2e-3;

    private static final double NARROW_TOLERANCE = 1e-3;

    static Stream<Example> examples() {
        return Examples.all().stream();
    }

    @Test
    void everyOperatorHasAnExample() {
        Set<String> covered = examples().map(Example::operator).collect(Collectors.toSet());
        covered.addAll(Examples.WITHOUT_GRADIENT);
        Set<String> missing = new TreeSet<>(StandardOperators.all().names());
        missing.removeAll(covered);
        assertEquals(Set.of(), missing, "operators without an example in *Examples.java");
        Set<String> unknown = new TreeSet<>(covered);
        unknown.removeAll(StandardOperators.all().names());
        assertEquals(Set.of(), unknown, "examples of operators that are not there");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void gradientsAreFiniteDifferences(Example example) {
        try (ExampleRun run = new ExampleRun(example, DType.FLOAT64)) {
            List<double[]> weights = weights(run.forward(), example);
            Map<String, double[]> gradients = run.gradients(weights);
            if (Examples.WITHOUT_GRADIENT.contains(example.operator())) {
                gradients.forEach((name, g) -> assertNull(g, name));
                return;
            }
            assumeFalse(example.isBound(), "a test of its own checks it behind what binds its numbers");
            double step = example.isNarrow() ? NARROW_STEP : STEP;
            double tolerance = example.isNarrow() ? NARROW_TOLERANCE : TOLERANCE;
            run.inputs().forEach((name, t) -> compare(run, name, t, gradients.get(name), weights, step, tolerance));
        }
    }

    private static void compare(
            ExampleRun run,
            String name,
            Tensor t,
            double[] gradient,
            List<double[]> weights,
            double step,
            double tolerance) {
        double[] values = run.read(t);
        for (int i = 0; i < values.length; i++) {
            double before = values[i];
            values[i] = before + step;
            run.write(t, values);
            double above = sum(run.forward(), weights);
            values[i] = before - step;
            run.write(t, values);
            double below = sum(run.forward(), weights);
            values[i] = before;
            run.write(t, values);
            double expected = (above - below) / (2 * step);
            double scale = Math.max(1, Math.abs(expected));
            assertEquals(expected, gradient == null ? 0 : gradient[i], tolerance * scale, name + "[" + i + "]");
        }
    }

    private static double sum(List<double[]> results, List<double[]> weights) {
        double sum = 0;
        for (int k = 0; k < results.size(); k++) {
            for (int i = 0; results.get(k) != null && i < results.get(k).length; i++) {
                sum += results.get(k)[i] * weights.get(k)[i];
            }
        }
        return sum;
    }

    /** Weights that are exact in every type. */
    private static List<double[]> weights(List<double[]> results, Example example) {
        Random random = new Random(~example.toString().hashCode());
        List<double[]> out = new ArrayList<>();
        for (double[] r : results) {
            double[] w = r == null ? null : new double[r.length];
            for (int i = 0; w != null && i < w.length; i++) {
                w[i] = (random.nextInt(127) - 63) / 64.0;
            }
            out.add(w);
        }
        return out;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void otherPrecisionsAreClose(Example example) {
        assumeFalse(example.isDoubleOnly(), "kernels differ in more than rounding in other precisions");
        try (ExampleRun exact = new ExampleRun(example, DType.FLOAT64)) {
            List<double[]> results = exact.forward();
            List<double[]> weights = weights(results, example);
            Map<String, double[]> gradients = exact.gradients(weights);
            close(example, DType.FLOAT32, 1e-5, results, weights, gradients);
            close(example, DType.FLOAT16, 4e-3 * example.halfTolerance(), results, weights, gradients);
            close(example, DType.BFLOAT16, 3e-2 * example.halfTolerance(), results, weights, gradients);
        }
    }

    private static void close(
            Example example,
            DType type,
            double tolerance,
            List<double[]> results,
            List<double[]> weights,
            Map<String, double[]> gradients) {
        try (ExampleRun run = new ExampleRun(example, type)) {
            List<double[]> got = run.forward();
            for (int i = 0; i < results.size(); i++) {
                assertClose(results.get(i), got.get(i), tolerance, type + " result " + i);
            }
            run.gradients(weights)
                    .forEach(
                            (name, g) -> assertClose(gradients.get(name), g, tolerance, type + " gradient of " + name));
        }
    }

    /** By the norm of the difference. */
    private static void assertClose(double[] expected, double[] got, double tolerance, String what) {
        assertEquals(expected == null, got == null, what);
        if (expected == null) {
            return;
        }
        double difference = 0;
        double size = 0;
        for (int i = 0; i < expected.length; i++) {
            difference += (expected[i] - got[i]) * (expected[i] - got[i]);
            size += expected[i] * expected[i];
        }
        double error = Math.sqrt(difference) / Math.max(Math.sqrt(size), 1e-3);
        assertTrue(error <= tolerance, () -> what + ": relative error " + error);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void nothingIsLeftBehind(Example example) {
        try (ExampleRun run = new ExampleRun(example, DType.FLOAT32)) {
            List<double[]> weights = weights(run.forward(), example);
            run.gradients(weights); // takes the workspaces that stay
            long before = run.allocated();
            run.gradients(weights);
            assertEquals(before, run.allocated());
        }
    }
}
