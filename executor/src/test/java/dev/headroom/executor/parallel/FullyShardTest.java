package dev.headroom.executor.parallel;

import static dev.headroom.model.scenario.ParallelSettings.BUILD;
import static dev.headroom.model.scenario.ParallelSettings.MESH;
import static dev.headroom.model.scenario.ParallelSettings.NO_SYNC;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.PARAM_DTYPE;
import static dev.headroom.model.scenario.ParallelSettings.REDUCE_DTYPE;
import static dev.headroom.model.scenario.ParallelSettings.RESHARD_AFTER_FORWARD;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ParallelSettings.WRAP;
import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.CLIP_GRAD_NORM;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.ShardingOptions;
import dev.headroom.model.scenario.Scenario;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranks with a part of the model each learn what one device learns from the whole batch. */
class FullyShardTest {
    private static Stream<Arguments> options() {
        Map<String, UnaryOperator<Scenario>> options = new LinkedHashMap<>();
        options.put("plain", r -> r);
        options.put("one unit", r -> r.with(WRAP, ShardingOptions.Wrap.ROOT));
        options.put("whole after forward", r -> r.with(RESHARD_AFTER_FORWARD, 0));
        options.put("built on the CPU", r -> r.with(BUILD, Parallelism.Build.CPU));
        options.put("accumulated", r -> r.with(ACCUMULATE, 2));
        options.put("no sync", r -> r.with(ACCUMULATE, 3).with(NO_SYNC, true));
        options.put("clipped", r -> r.with(CLIP_GRAD_NORM, 0.01));
        options.put("checkpointed", r -> r.with(CHECKPOINT, 2));
        Stream<Arguments> all = Stream.of(1, 2, 3, 4)
                .flatMap(world -> options.entrySet().stream().map(o -> Arguments.of(world, o.getKey(), o.getValue())));
        UnaryOperator<Scenario> halves = r -> r.with(RESHARD_AFTER_FORWARD, 2);
        UnaryOperator<Scenario> hybrid = r -> r.with(MESH, List.of(2, 2));
        UnaryOperator<Scenario> copies = r -> r.with(MESH, List.of(4, 1));
        return Stream.concat(
                all,
                Stream.of(
                        Arguments.of(4, "halves after forward", halves),
                        Arguments.of(4, "2 x 2", hybrid),
                        Arguments.of(4, "2 x 2, no sync", (UnaryOperator<Scenario>)
                                r -> hybrid.apply(r).with(ACCUMULATE, 2).with(NO_SYNC, true)),
                        Arguments.of(4, "4 x 1", copies)));
    }

    @ParameterizedTest(name = "{0} ranks, {1}")
    @MethodSource("options")
    void learnsAsOneDeviceDoes(int world, String name, UnaryOperator<Scenario> option) {
        check(world, option, 1e-6);
    }

    private static Stream<Arguments> types() {
        return Stream.of(
                Arguments.of(DType.BFLOAT16, DType.FLOAT32),
                Arguments.of(DType.BFLOAT16, null),
                Arguments.of(null, DType.BFLOAT16),
                Arguments.of(null, DType.FLOAT16));
    }

    @ParameterizedTest(name = "gathered in {0}, reduced in {1}")
    @MethodSource("types")
    void otherTypesLearnNearlyTheSame(DType gathered, DType reduced) {
        check(3, r -> r.with(PARAM_DTYPE, gathered).with(REDUCE_DTYPE, reduced), 2e-2);
    }

    private static void check(int world, UnaryOperator<Scenario> option, double tolerance) {
        Learning.Result one =
                Learning.train(Learning.alone(option.apply(Learning.run().with(BATCH, Learning.SHARE * world))), null);
        Scenario shared = option.apply(Learning.run().with(BATCH, Learning.SHARE))
                .with(PARALLEL, ParallelKind.FSDP2)
                .with(WORLD, world);
        List<Learning.Result> ranks = Ranks.run(world, group -> Learning.train(shared, group));
        assertEquals(
                one.loss(),
                ranks.stream().mapToDouble(Learning.Result::loss).average().orElseThrow(),
                tolerance);
        List<Integer> mesh = shared.parallel().grid();
        int among = mesh.get(mesh.size() - 1);
        for (int first = 0; first < world; first += among) {
            List<Learning.Result> row = ranks.subList(first, first + among);
            one.gradients().forEach((p, g) -> assertArrayEquals(g, together(row, p, true), tolerance, p));
            one.weights().forEach((p, w) -> assertArrayEquals(w, together(row, p, false), tolerance, p));
        }
    }

    /** The rows of all ranks. */
    private static double[] together(List<Learning.Result> ranks, String parameter, boolean gradient) {
        return ranks.stream()
                .map(r -> (gradient ? r.gradients() : r.weights()).get(parameter))
                .flatMapToDouble(java.util.Arrays::stream)
                .toArray();
    }
}
