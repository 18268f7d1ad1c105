package dev.headroom.executor.optim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Parameters after each of three steps, as PyTorch computes them in double precision ({@code record_values.py}). */
class OptimizerValuesTest {
    private static final double TOLERANCE = 1e-12;
    private static final JsonNode RECORDED = read();

    private static JsonNode read() {
        try (InputStream in = OptimizerValuesTest.class.getResourceAsStream("values.json")) {
            return new ObjectMapper().readTree(in);
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
    void parametersAreWherePyTorchBringsThem(String name, JsonNode recorded) {
        try (HostBackend host = new HostBackend(1L << 28)) {
            Settings settings = new Settings(GpuCatalogue.find("h200").orElseThrow(), Scenario.Attention.AUTO, 1);
            Eager eager = new Eager(new CachingAllocator(AllocatorSettings.defaults(), host.memory()), host, settings);
            List<Tensor> parameters = new ArrayList<>();
            RECORDED.path("parameters").forEach(p -> parameters.add(tensor(eager, p)));
            Optimizer optimizer = Optimizers.of(eager, RecordedStepsTest.run(recorded), parameters);
            for (int step = 0; step < RECORDED.path("gradients").size(); step++) {
                JsonNode gradients = RECORDED.path("gradients").path(step);
                for (int i = 0; i < parameters.size(); i++) {
                    Tensor g = tensor(eager, gradients.path(i));
                    eager.setGrad(parameters.get(i), g);
                    eager.release(g);
                }
                optimizer.step();
                double[] got = parameters.stream()
                        .flatMapToDouble(p -> DoubleStream.of(host.read(p)))
                        .toArray();
                double[] expected = flat(recorded.path("steps").path(step)).toArray();
                assertArrayEquals(expected, got, TOLERANCE, name + ", step " + step);
            }
        }
    }

    private static Tensor tensor(Eager eager, JsonNode values) {
        boolean matrix = values.path(0).isArray();
        long[] sizes = matrix ? new long[] {values.size(), values.path(0).size()} : new long[] {values.size()};
        try (var s = eager.open()) {
            Tensor t = eager.hold(eager.empty(DType.FLOAT64, sizes));
            eager.backend().write(t, flat(values).toArray());
            return t;
        }
    }

    private static DoubleStream flat(JsonNode values) {
        return values.isArray()
                ? StreamSupport.stream(values.spliterator(), false).flatMapToDouble(OptimizerValuesTest::flat)
                : DoubleStream.of(values.asDouble());
    }
}
