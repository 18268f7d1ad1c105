package dev.headroom.estimator.optim;

import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.TORCH;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.TorchVersion;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every allocation and free of every optimizer, as {@code record_steps.py} saw them in the real PyTorch. */
class RecordedStepsTest {
    private static final JsonNode RECORDED = read();

    private static JsonNode read() {
        try (InputStream in = RecordedStepsTest.class.getResourceAsStream("steps.json")) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static Stream<Arguments> cases() {
        return StreamSupport.stream(RECORDED.path("cases").spliterator(), false)
                .map(c -> Arguments.of(
                        c.path("optimizer").asText() + " "
                                + c.path("implementation").asText() + " " + c.path("options"),
                        c));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void stepsAsPyTorchDoes(String name, JsonNode recorded) {
        Bench bench = new Bench();
        for (JsonNode p : RECORDED.path("parameters")) {
            long[] sizes = StreamSupport.stream(p.path(1).spliterator(), false)
                    .mapToLong(JsonNode::asLong)
                    .toArray();
            DType type = DType.valueOf(p.path(0).asText().toUpperCase(Locale.ROOT));
            bench.parameter(type, p.path(2).asBoolean(), sizes);
        }
        Optimizer optimizer = bench.optimizer(run(recorded));
        for (JsonNode phase : recorded.path("phases")) {
            List<Long> expected = new ArrayList<>();
            phase.forEach(n -> expected.add(n.asLong()));
            assertEquals(expected, bench.events(), name);
            optimizer.step();
        }
    }

    static Scenario run(JsonNode recorded) {
        Scenario run = Scenario.defaults()
                .with(TORCH, TorchVersion.of("2.14"))
                .with(
                        OPTIMIZER,
                        OptimizerKind.named(recorded.path("optimizer").asText()).orElseThrow());
        switch (recorded.path("implementation").asText()) {
            case "for-loop" -> run = run.with(FOREACH, Scenario.Foreach.FALSE);
            case "foreach" -> run = run.with(FOREACH, Scenario.Foreach.TRUE);
            case "fused" -> run = run.with(FUSED, true);
            default -> {}
        }
        for (JsonNode option : recorded.path("options")) {
            run = flagged(run, ScenarioSettings.written(option.asText()).orElseThrow());
        }
        return run;
    }

    private static <T> Scenario flagged(Scenario run, Setting<T> flag) {
        return run.with(flag, flag.words().orElseThrow().format().read().apply(List.of()));
    }
}
