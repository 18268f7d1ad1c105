package dev.headroom.executor.parallel;

import static dev.headroom.model.scenario.ParallelSettings.BUCKET_CAP_MB;
import static dev.headroom.model.scenario.ParallelSettings.COMPRESS;
import static dev.headroom.model.scenario.ParallelSettings.FIND_UNUSED_PARAMETERS;
import static dev.headroom.model.scenario.ParallelSettings.GRADIENT_AS_BUCKET_VIEW;
import static dev.headroom.model.scenario.ParallelSettings.NO_SYNC;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.STATIC_GRAPH;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ParallelSettings.ZERO_OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CLIP_GRAD_NORM;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.train.Training;
import dev.headroom.executor.train.Wrapper;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranks that share a batch learn what one device learns from all of it. */
class DistributedDataParallelTest {
    private static final long SHARE = 3;
    private static final Graph MODEL = Model.of(
                    "mlp",
                    Sequential.of(
                            Layers.linear(5, 40),
                            Layers.layerNorm(40),
                            Layers.tanh(),
                            Layers.linear(40, 30),
                            Layers.relu(),
                            Layers.linear(30, 4)))
            .input("x", DType.FLOAT32, Model.BATCH, 5)
            .graph();

    /** What a run has come to. */
    private record Result(double loss, Map<String, double[]> gradients, Map<String, double[]> weights) {}

    private static Scenario run(long batch) {
        return Scenario.defaults()
                .with(BATCH, batch)
                .with(STEPS, 4)
                .with(LOSS, LossKind.MSE)
                .with(OPTIMIZER, OptimizerKind.SGD_MOMENTUM);
    }

    private static Stream<Arguments> options() {
        Map<String, UnaryOperator<Scenario>> options = new LinkedHashMap<>();
        options.put("plain", r -> r);
        options.put("small buckets", r -> r.with(BUCKET_CAP_MB, 0.001));
        options.put("bucket views", r -> r.with(GRADIENT_AS_BUCKET_VIEW, true));
        options.put("static graph", r -> r.with(STATIC_GRAPH, true));
        options.put(
                "unused parameters", r -> r.with(FIND_UNUSED_PARAMETERS, true).with(GRADIENT_AS_BUCKET_VIEW, true));
        options.put("ZeroRedundancyOptimizer", r -> r.with(ZERO_OPTIMIZER, true));
        options.put("accumulated", r -> r.with(ACCUMULATE, 2));
        options.put("no sync", r -> r.with(ACCUMULATE, 3).with(NO_SYNC, true).with(GRADIENT_AS_BUCKET_VIEW, true));
        options.put("clipped", r -> r.with(CLIP_GRAD_NORM, 0.01));
        return Stream.of(1, 2, 4)
                .flatMap(world -> options.entrySet().stream().map(o -> Arguments.of(world, o.getKey(), o.getValue())));
    }

    @ParameterizedTest(name = "{0} ranks, {1}")
    @MethodSource("options")
    void learnsAsOneDeviceDoes(int world, String name, UnaryOperator<Scenario> option) {
        Scenario all = option.apply(run(SHARE * world));
        Result one = train(alone(all), null);
        Scenario shared =
                option.apply(run(SHARE)).with(PARALLEL, ParallelKind.DDP).with(WORLD, world);
        List<Result> ranks = Ranks.run(world, group -> train(shared, group));
        assertEquals(
                one.loss, ranks.stream().mapToDouble(Result::loss).average().orElseThrow(), 1e-6);
        for (Result rank : ranks) {
            assertEquals(one.gradients.keySet(), rank.gradients.keySet());
            one.gradients.forEach((p, g) -> assertArrayEquals(g, rank.gradients.get(p), 1e-6, p));
            one.weights.forEach((p, w) -> assertArrayEquals(w, rank.weights.get(p), 1e-6, p));
        }
    }

    @Test
    void compressedGradientsAreNearlyTheSame() {
        Result one = train(alone(run(2 * SHARE)), null);
        Scenario shared =
                run(SHARE).with(PARALLEL, ParallelKind.DDP).with(WORLD, 2).with(COMPRESS, DType.BFLOAT16);
        for (Result rank : Ranks.run(2, group -> train(shared, group))) {
            one.gradients.forEach((p, g) -> assertArrayEquals(g, rank.gradients.get(p), 1e-2, p));
        }
    }

    @Test
    void aRankThatFailsEndsTheOthersWait() {
        RuntimeException thrown = assertThrows(
                IllegalArgumentException.class,
                () -> Ranks.run(3, group -> {
                    if (group.rank() == 1) {
                        throw new IllegalArgumentException("rank 1");
                    }
                    return group.gather(group.rank());
                }));
        assertTrue(thrown.getMessage().contains("rank 1"));
    }

    private static Scenario alone(Scenario run) {
        return run.withParallel(Parallelism.DEFAULTS);
    }

    /** @param group {@code null} for a device that has all of the batch */
    private static Result train(Scenario run, ProcessGroup group) {
        int rank = group == null ? 0 : group.rank();
        try (HostBackend host = new HostBackend(1L << 30)) {
            Settings settings = new Settings(
                    GpuCatalogue.find("h200").orElseThrow(), run.kernels().attention(), 1 + rank);
            Eager eager = new Eager(new CachingAllocator(AllocatorSettings.defaults(), host.memory()), host, settings);
            Wrapper wrapper = group == null ? null : new DistributedDataParallel(eager, run, group);
            try (eager;
                    Training training = new Training(eager, Preparation.of(MODEL, run), phase -> {}, wrapper)) {
                training.prepare((name, t) -> host.write(t, rows(name, rank * SHARE, t)));
                training.run();
                Map<String, double[]> gradients = new LinkedHashMap<>();
                Map<String, double[]> weights = new LinkedHashMap<>();
                training.model().parameters().forEach((name, p) -> {
                    gradients.put(name, host.read(p.grad()));
                    weights.put(name, host.read(p));
                });
                return new Result(training.loss(), gradients, weights);
            }
        }
    }

    /** Rows of the whole batch. */
    private static double[] rows(String name, long first, Tensor t) {
        double[] out = new double[(int) t.elements()];
        int width = (int) (t.elements() / t.size(0));
        for (int i = 0; i < out.length; i++) {
            out[i] = Math.sin(name.hashCode() % 100 + 7 * (first * width + i));
        }
        return out;
    }
}
