package dev.headroom.executor.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code ctc_loss}: its gradient is that of free logarithms, and the probabilities that log_softmax takes off again. */
class TemporalLossTest {
    private static final int SAMPLES = 2;
    private static final int CLASSES = 3;
    private static final double STEP = 1e-5;
    private static final double[] WEIGHTS = {0.5, -2};

    /** A small problem, and one whose blanks are summed up by operators. */
    static Stream<Example> examples() {
        return Stream.of(4L, 230L).map(steps -> new Example("aten.ctc_loss")
                .tensor("log_probs", steps, SAMPLES, CLASSES)
                .indices("targets", new long[] {SAMPLES, 2}, 1, 1, 1, 2)
                .integers("input_lengths", steps, 3)
                .integers("target_lengths", 2, 1)
                .integer("reduction", 0));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void gradientsAreFiniteDifferencesAndProbabilities(Example example) {
        try (ExampleRun run = new ExampleRun(example, DType.FLOAT64)) {
            run.forward();
            double[] gradient = run.gradients(List.of(WEIGHTS)).get("log_probs");
            Tensor logs = run.inputs().get("log_probs");
            double[] values = run.read(logs);
            long steps = logs.size(0);
            for (int i = 0; i < Math.min(values.length, 30); i++) {
                int sample = i / CLASSES % SAMPLES;
                long length = sample == 0 ? steps : 3;
                boolean inside = i / CLASSES / SAMPLES < length;
                double before = values[i];
                double slope = (weighted(run, values, i, before + STEP) - weighted(run, values, i, before - STEP))
                        / (2 * STEP);
                weighted(run, values, i, before);
                double expected = slope + (inside ? Math.exp(before) * WEIGHTS[sample] : 0);
                assertEquals(expected, gradient[i], 1e-6, "element " + i);
                assertTrue(inside || slope == 0, "steps behind the end of an input do not matter");
            }
        }
    }

    private static double weighted(ExampleRun run, double[] values, int i, double value) {
        values[i] = value;
        run.write(run.inputs().get("log_probs"), values);
        double[] losses = run.forward().get(0);
        return losses[0] * WEIGHTS[0] + losses[1] * WEIGHTS[1];
    }
}
