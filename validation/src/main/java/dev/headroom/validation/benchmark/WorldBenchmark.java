package dev.headroom.validation.benchmark;

import static dev.headroom.model.scenario.ParallelSettings.BUILD;
import static dev.headroom.model.scenario.ParallelSettings.LOSS_PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.MESH;
import static dev.headroom.model.scenario.ParallelSettings.MICROBATCHES;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.PARAM_DTYPE;
import static dev.headroom.model.scenario.ParallelSettings.REDUCE_DTYPE;
import static dev.headroom.model.scenario.ParallelSettings.RESHARD_AFTER_FORWARD;
import static dev.headroom.model.scenario.ParallelSettings.SEQUENCE_PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Ranks;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.validation.decoder.PlainDecoder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * All ranks of a large model on many GPUs, each time in a Java machine that has just started, with 1 GiB of heap and
 * the flags of {@code ./headroom}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(
        value = 5,
        jvmArgs = {"-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"})
public class WorldBenchmark {
    @Param({"4096", "8192"})
    long length;

    /** Three steps of each rank that is not like another, with the model's graph made before. */
    @Benchmark
    public Ranks ranks() {
        return ranks(spread(ParallelKind.FSDP2).with(BATCH, 1L).with(DTYPE, DType.BFLOAT16));
    }

    /** The same of 8 stages, each divided among 8 ranks whose layers 8 share. */
    @Benchmark
    public Ranks ranksOfGrid() {
        return ranks(spread(ParallelKind.PP_FSDP2_TP)
                .with(MESH, List.of(8, 8, 8))
                .with(BATCH, 8L)
                .with(MICROBATCHES, 8)
                .with(CHECKPOINT, 1)
                .with(PARAM_DTYPE, DType.BFLOAT16)
                .with(REDUCE_DTYPE, DType.FLOAT32)
                .with(RESHARD_AFTER_FORWARD, 0)
                .with(SEQUENCE_PARALLEL, true)
                .with(LOSS_PARALLEL, true));
    }

    private static Scenario spread(ParallelKind kind) {
        return Scenario.defaults().with(PARALLEL, kind).with(WORLD, 512).with(BUILD, Parallelism.Build.META);
    }

    private Ranks ranks(Scenario run) {
        return Ranks.of(new PredictionRequest(PlainDecoder.of405Billion(length).graph(), run));
    }
}
