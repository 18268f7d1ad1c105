package dev.headroom.executor.optim;

import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.allocator.AllocatorListener.Action;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every allocation and free of every optimizer, as the real PyTorch made them ({@code record_steps.py}). */
class RecordedStepsTest {
    private static final String RECORDING =
            "estimator/engine/src/test/resources/dev/headroom/estimator/optim/steps.json";
    private static final JsonNode RECORDED = read();

    private final List<Long> events = new ArrayList<>();

    private static JsonNode read() {
        try {
            return new ObjectMapper()
                    .readTree(Fixtures.folder().resolveSibling(RECORDING).toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
        try (Backend none = NoKernels.over(1L << 38)) {
            CachingAllocator allocator = new CachingAllocator(AllocatorSettings.defaults(), none.memory());
            allocator.setListener((action, address, bytes, stream, pool) -> {
                if (action == Action.ALLOC || action == Action.FREE_REQUESTED) {
                    events.add(action == Action.ALLOC ? bytes : -bytes);
                }
            });
            Settings settings = new Settings(GpuCatalogue.find("h200").orElseThrow(), Scenario.Attention.AUTO, 1);
            Eager eager = new Eager(allocator, none, settings);
            eager.blasWorkspaces().current();
            List<Tensor> parameters = parameters(eager);
            events.clear();
            Scenario run = run(recorded);
            if (!Optimizers.knows(run)) {
                assertThrows(UserInputException.class, () -> Optimizers.of(eager, run, parameters));
                return;
            }
            Optimizer optimizer = Optimizers.of(eager, run, parameters);
            for (JsonNode phase : recorded.path("phases")) {
                List<Long> expected = new ArrayList<>();
                phase.forEach(n -> expected.add(n.asLong()));
                assertEquals(expected, List.copyOf(events), name);
                events.clear();
                optimizer.step();
            }
        }
    }

    private static List<Tensor> parameters(Eager eager) {
        List<Tensor> out = new ArrayList<>();
        for (JsonNode p : RECORDED.path("parameters")) {
            long[] sizes = StreamSupport.stream(p.path(1).spliterator(), false)
                    .mapToLong(JsonNode::asLong)
                    .toArray();
            DType type = DType.valueOf(p.path(0).asText().toUpperCase(Locale.ROOT));
            try (var s = eager.open()) {
                Tensor t = eager.hold(eager.empty(type, sizes));
                if (p.path(2).asBoolean()) {
                    eager.setGrad(t, eager.emptyLike(t));
                }
                out.add(t);
            }
        }
        return out;
    }

    static Scenario run(JsonNode recorded) {
        Scenario run = Scenario.defaults()
                .with(
                        OPTIMIZER,
                        OptimizerKind.named(recorded.path("optimizer").asText()).orElseThrow());
        switch (recorded.path("implementation").asText()) {
            case "for-loop" -> run = run.with(FOREACH, Scenario.Foreach.FALSE);
            case "foreach" -> run = run.with(FOREACH, Scenario.Foreach.TRUE);
            case "fused" -> run = run.with(FUSED, true);
            default -> run = run.with(FOREACH, Scenario.Foreach.AUTO);
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
