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
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
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
    private static final long SHARE = Learning.SHARE;
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

    private static Scenario run(long batch) {
        return Learning.run().with(BATCH, batch);
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
        Learning.Result one = train(Learning.alone(all), null);
        Scenario shared =
                option.apply(run(SHARE)).with(PARALLEL, ParallelKind.DDP).with(WORLD, world);
        List<Learning.Result> ranks = Ranks.run(world, group -> train(shared, group));
        assertEquals(
                one.loss(),
                ranks.stream().mapToDouble(Learning.Result::loss).average().orElseThrow(),
                1e-6);
        for (Learning.Result rank : ranks) {
            assertEquals(one.gradients().keySet(), rank.gradients().keySet());
            one.gradients()
                    .forEach((p, g) -> assertArrayEquals(g, rank.gradients().get(p), 1e-6, p));
            one.weights().forEach((p, w) -> assertArrayEquals(w, rank.weights().get(p), 1e-6, p));
        }
    }

    @Test
    void compressedGradientsAreNearlyTheSame() {
        Learning.Result one = train(Learning.alone(run(2 * SHARE)), null);
        Scenario shared =
                run(SHARE).with(PARALLEL, ParallelKind.DDP).with(WORLD, 2).with(COMPRESS, DType.BFLOAT16);
        for (Learning.Result rank : Ranks.run(2, group -> train(shared, group))) {
            one.gradients()
                    .forEach((p, g) -> assertArrayEquals(g, rank.gradients().get(p), 1e-2, p));
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

    /** Ranks begin with weights of their own, which the first rank's replace. */
    private static Learning.Result train(Scenario run, ProcessGroup group) {
        long seed = 1 + (group == null ? 0 : group.rank());
        return Learning.train(MODEL, run, group, seed, (e, p, g) -> new DistributedDataParallel(e, run, g));
    }
}
