package dev.headroom.validation.benchmark;

import static dev.headroom.model.scenario.ParallelSettings.BUILD;
import static dev.headroom.model.scenario.ParallelSettings.PARALLEL;
import static dev.headroom.model.scenario.ParallelSettings.WORLD;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Ranks;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.Scenario;
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

/** All ranks of a large model on many GPUs, each time in a Java machine that has just started, with 1 GiB of heap. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(value = 5, jvmArgs = "-Xmx1g")
public class WorldBenchmark {
    @Param({"4096", "8192"})
    long length;

    /** Three steps of each rank that is not like another, with the model's graph made before. */
    @Benchmark
    public Ranks ranks() {
        Scenario run = Scenario.defaults()
                .with(BATCH, 1L)
                .with(DTYPE, DType.BFLOAT16)
                .with(PARALLEL, ParallelKind.FSDP2)
                .with(WORLD, 512)
                .with(BUILD, Parallelism.Build.META);
        return Ranks.of(new PredictionRequest(PlainDecoder.of405Billion(length).graph(), run));
    }
}
