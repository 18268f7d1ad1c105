package dev.headroom.executor.optim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.headroom.allocator.AllocatorListener.Action;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.op.StandardOperators;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.GradientSums;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Steps on the sparse gradient of a table, as PyTorch takes them ({@code record_sparse.py}). */
class SparseGradientsTest {
    private static final double TOLERANCE = 1e-12;
    private static final String RECORDING =
            "estimator/engine/src/test/resources/dev/headroom/estimator/optim/sparse.json";
    private static final JsonNode RECORDED = read();

    private static JsonNode read() {
        try {
            return new ObjectMapper()
                    .readTree(Fixtures.folder().resolveSibling(RECORDING).toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<JsonNode> cases() {
        return StreamSupport.stream(RECORDED.path("cases").spliterator(), false);
    }

    private static Eager eager(Backend backend, CachingAllocator allocator) {
        Settings settings = new Settings(GpuCatalogue.find("h200").orElseThrow(), Scenario.Attention.AUTO, 1);
        return new Eager(allocator, backend, settings);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyAllocationAndFree(JsonNode recorded) {
        List<Long> events = new ArrayList<>();
        try (Backend none = NoKernels.over(1L << 30)) {
            CachingAllocator allocator = new CachingAllocator(AllocatorSettings.defaults(), none.memory());
            allocator.setListener((action, address, bytes, stream, pool) -> {
                if (action == Action.ALLOC || action == Action.FREE_REQUESTED) {
                    events.add(action == Action.ALLOC ? bytes : -bytes);
                }
            });
            Eager e = eager(none, allocator);
            long read = RECORDED.path("read").asLong();
            long width = RECORDED.path("sizes").path(1).asLong();
            Tensor table = held(
                    e,
                    x -> e.empty(DType.FLOAT32, RECORDED.path("sizes").path(0).asLong(), width));
            Tensor rows = held(e, x -> e.empty(DType.INT64, read));
            Tensor gradient = held(e, x -> e.sparse(e.empty(DType.FLOAT32, read, width), rows));
            e.setGrad(table, gradient);
            e.release(gradient);
            events.clear();
            Optimizer optimizer = Optimizers.of(e, RecordedStepsTest.run(recorded), List.of(table));
            boolean first = true;
            for (JsonNode phase : recorded.path("phases")) {
                if (!first) {
                    optimizer.step();
                }
                assertEquals(expected(phase, recorded.path("unique").asBoolean() && !first, read, width), events);
                events.clear();
                first = false;
            }
        }
    }

    /**
     * The recorded gradients of optimizers that make rows unique said that theirs were. Those that do not are
     * (SparseCUDATensor.cu, coalesce_sparse_cuda): here after the states' zeros, and let go at the end.
     */
    private static List<Long> expected(JsonNode phase, boolean coalesces, long read, long width) {
        List<Long> out = new ArrayList<>();
        phase.forEach(n -> out.add(n.asLong()));
        if (coalesces) {
            long rows = 8 * read;
            long values = 4 * read * width;
            long states = out.stream().filter(n -> n > values).count();
            out.addAll((int) states, List.of(rows, rows, rows, 1023L, -1023L, 1535L, -1535L, values, -rows, -rows));
            out.addAll(List.of(-values, -rows));
        }
        return out;
    }

    private static Tensor held(Eager e, Function<Eager, Tensor> made) {
        try (var s = e.open()) {
            return e.hold(made.apply(e));
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theTableIsWherePyTorchBringsIt(JsonNode recorded) {
        try (HostBackend host = new HostBackend(1L << 28)) {
            Eager e = eager(host, new CachingAllocator(AllocatorSettings.defaults(), host.memory()));
            Tensor table = tensor(e, DType.FLOAT64, RECORDED.path("table"));
            table.requireGrad(true);
            Tensor gradient = tensor(e, DType.FLOAT64, RECORDED.path("gradient"));
            Optimizer optimizer = Optimizers.of(e, RecordedStepsTest.run(recorded), List.of(table));
            int step = 0;
            for (JsonNode parts : RECORDED.path("indices")) {
                e.setGrad(table, null);
                for (JsonNode part : parts) {
                    double[] read = flat(part).toArray();
                    backward(e, table, gradient, read);
                }
                assertEquals(12, table.givenGrad().size(0));
                optimizer.step();
                double[] expected = flat(recorded.path("steps").path(step++)).toArray();
                assertArrayEquals(expected, host.read(table), TOLERANCE);
            }
        }
    }

    /** Of rows of a table that is read twice, the second time backwards. */
    private static void backward(Eager e, Tensor table, Tensor gradient, double[] read) {
        try (var s = e.open()) {
            Tensor there = embedded(e, table, -1, read);
            Tensor back = embedded(e, table, -1, read[2], read[1], read[0]);
            Tensor[] both = {there, back};
            new BackwardPass(e.tape(), new GradientSums(e)).run(both, new Tensor[] {gradient, gradient});
        }
    }

    private static Tensor embedded(Eager e, Tensor table, long padding, double... read) {
        Tensor indices = e.empty(DType.INT64, read.length);
        e.backend().write(indices, read);
        List<Node.NamedArgument> named = List.of(
                new Node.NamedArgument("weight", new Argument.Value("weight")),
                new Node.NamedArgument("indices", new Argument.Value("indices")),
                new Node.NamedArgument("padding_idx", new Argument.Int(new SymExpr.Constant(padding))),
                new Node.NamedArgument("sparse", new Argument.Bool(true)));
        Node node = new Node("e", "aten.embedding.default", named, List.of(), List.of(), "");
        Arguments a = new Arguments(node, Map.of("weight", table, "indices", indices), Map.of());
        return StandardOperators.all().find("aten.embedding").run(e, a)[0];
    }

    @Test
    void rowsOfPaddingHaveNoGradientAndDenseOnesAreAddedTo() {
        try (HostBackend host = new HostBackend(1L << 28)) {
            Eager e = eager(host, new CachingAllocator(AllocatorSettings.defaults(), host.memory()));
            Tensor table = tensor(e, DType.FLOAT64, RECORDED.path("table"));
            table.requireGrad(true);
            Tensor gradient = tensor(e, DType.FLOAT64, RECORDED.path("gradient"));
            BackwardPass pass = new BackwardPass(e.tape(), new GradientSums(e));
            try (var s = e.open()) {
                pass.run(embedded(e, table, 2, 0, 2, 4), gradient);
            }
            assertArrayEquals(new double[] {0.1, -0.2, 0.3, 1, -2, 0.5}, host.read(table.givenGrad()));
            assertArrayEquals(new double[] {0, 4}, host.read(table.givenGrad().rows()));
            try (var s = e.open()) {
                Tensor ones = e.empty(DType.FLOAT64, 5, 3);
                Elementwise.fill(e, ones, 1);
                e.setGrad(table, ones);
                pass.run(embedded(e, table, 2, 0, 2, 4), gradient);
            }
            assertEquals(null, table.givenGrad().rows());
            double[] sum = {1.1, 0.8, 1.3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, -1, 1.5};
            assertArrayEquals(sum, host.read(table.givenGrad()), TOLERANCE);
        }
    }

    @Test
    void otherOptimizersRefuse() {
        try (HostBackend host = new HostBackend(1L << 28)) {
            Eager e = eager(host, new CachingAllocator(AllocatorSettings.defaults(), host.memory()));
            Tensor table = tensor(e, DType.FLOAT64, RECORDED.path("table"));
            Tensor gradient = held(e, x -> e.sparse(e.empty(DType.FLOAT64, 2, 3), e.empty(DType.INT64, 2)));
            e.setGrad(table, gradient);
            Scenario run = Scenario.builder().optimizer(OptimizerKind.ADAM).build();
            Optimizer optimizer = Optimizers.of(e, run, List.of(table));
            String said =
                    assertThrows(UserInputException.class, optimizer::step).getMessage();
            assertTrue(said.contains("sparse=False"), said);
        }
    }

    private static Tensor tensor(Eager e, DType type, JsonNode values) {
        return held(e, x -> {
            Tensor t = e.empty(type, values.size(), values.path(0).size());
            e.backend().write(t, flat(values).toArray());
            return t;
        });
    }

    private static DoubleStream flat(JsonNode values) {
        return values.isArray()
                ? StreamSupport.stream(values.spliterator(), false).flatMapToDouble(SparseGradientsTest::flat)
                : DoubleStream.of(values.asDouble());
    }
}
