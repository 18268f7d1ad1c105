package dev.headroom.estimator.optim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps on the sparse gradient of a table, event by event as PyTorch takes them ({@code record_sparse.py}). */
class RecordedSparseStepsTest {
    private static final JsonNode RECORDED = read();

    private static JsonNode read() {
        try (InputStream in = RecordedSparseStepsTest.class.getResourceAsStream("sparse.json")) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static Stream<JsonNode> cases() {
        return StreamSupport.stream(RECORDED.path("cases").spliterator(), false);
    }

    private static Bench bench() {
        Bench bench = new Bench();
        long width = RECORDED.path("sizes").path(1).asLong();
        long read = RECORDED.path("read").asLong();
        Tensor table = bench.parameter(
                DType.FLOAT32, true, RECORDED.path("sizes").path(0).asLong(), width);
        EagerRuntime rt = bench.runtime;
        Frame frame = rt.frame();
        Tensor rows = rt.hold(rt.empty(DType.INT64, read)); // whoever made the gradient holds them
        rt.setGrad(table, rt.empty(DType.FLOAT32, read, width).sparse(rows));
        frame.close();
        return bench;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void stepsAsPyTorchDoes(JsonNode recorded) {
        Bench bench = bench();
        Optimizer optimizer = bench.optimizer(RecordedStepsTest.run(recorded));
        boolean first = true;
        for (JsonNode phase : recorded.path("phases")) {
            if (!first) {
                optimizer.step();
            }
            List<Long> expected = new ArrayList<>();
            phase.forEach(n -> expected.add(n.asLong()));
            if (recorded.path("unique").asBoolean() && !first) {
                coalesce(expected);
            }
            assertEquals(expected, bench.events());
            first = false;
        }
    }

    /**
     * The recorded gradients of optimizers that make rows unique said that theirs were. Those that do not are
     * (SparseCUDATensor.cu, coalesce_sparse_cuda): here after the states' zeros, and let go at the end.
     */
    private static void coalesce(List<Long> events) {
        long rows = 8 * RECORDED.path("read").asLong();
        long values = 4
                * RECORDED.path("read").asLong()
                * RECORDED.path("sizes").path(1).asLong();
        long states = events.stream().filter(n -> n > values).count();
        events.addAll((int) states, List.of(rows, rows, rows, 1023L, -1023L, 1535L, -1535L, values, -rows, -rows));
        events.addAll(List.of(-values, -rows));
    }

    @Test
    void otherOptimizersAndWeightDecayAreRefused() {
        Optimizer adam = bench().optimizer(
                        Scenario.builder().optimizer(OptimizerKind.ADAM).build());
        assertTrue(
                assertThrows(UserInputException.class, adam::step).getMessage().contains("sparse=False"));
        Scenario decaying = Scenario.defaults()
                .with(dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER, OptimizerKind.SGD)
                .with(dev.headroom.model.scenario.OptimizerSettings.WEIGHT_DECAY, true);
        Optimizer sgd = bench().optimizer(decaying);
        assertTrue(
                assertThrows(UserInputException.class, sgd::step).getMessage().contains("weight decay"));
    }
}
