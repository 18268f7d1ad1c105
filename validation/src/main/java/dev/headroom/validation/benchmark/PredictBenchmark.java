package dev.headroom.validation.benchmark;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time of a warm prediction, three steps with the allocator; medians are the rows {@code p0.50}. Who is asked for a
 * run again plays the events that it remembers.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PredictBenchmark {
    /** More than are remembered. */
    private static final int BATCHES = 32;

    private static final long LEAST = 32;

    @Param({"resnet50-i224", "gpt2-s512"})
    String model;

    private Path archive;
    private Graph graph;
    private Scenario run;
    private long asked;

    @Setup
    public void read() {
        archive = Fixtures.models().resolve(model + ".pt2");
        graph = Importers.read(archive);
        run = Scenario.defaults()
                .with(BATCH, LEAST)
                .with(CUDNN_WORKSPACE, CudnnWorkspace.NONE)
                .on(GpuCatalogue.find("h200").orElseThrow());
    }

    /** From the graph, of a run that was asked for before. */
    @Benchmark
    public Prediction predict() {
        return predict(graph, run);
    }

    /** From the graph, with another batch each time, so that operators are played. */
    @Benchmark
    public Prediction predictAnother() {
        return predict(graph, run.with(BATCH, LEAST + asked++ % BATCHES));
    }

    /** From the archive. */
    @Benchmark
    public Prediction readAndPredict() {
        return predict(Importers.read(archive), run);
    }

    private static Prediction predict(Graph of, Scenario asked) {
        return Predictor.predict(new PredictionRequest(of, asked));
    }
}
