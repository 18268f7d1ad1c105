package dev.headroom.validation;

import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.app.option.ScenarioOptions;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs that were advised, or advised against, end as they did in PyTorch. */
class AdviceOutcomesTest {
    /** Where autocast frees its casts, and where blocks lie, differs from process to process. */
    private static final double SAME = 0.001;

    private static final Map<String, Graph> GRAPHS = new HashMap<>();

    @Command
    private static final class Line {
        @Mixin
        ScenarioOptions scenario = new ScenarioOptions();
    }

    record Outcome(String model, Gpu gpu, long room, String arguments, boolean fits, long allocated, long reserved) {
        static Outcome of(String line) {
            String[] f = line.split(",");
            Gpu gpu = GpuCatalogue.find(f[1]).orElseThrow();
            return new Outcome(
                    f[0],
                    gpu,
                    Long.parseLong(f[2]),
                    f[3],
                    f[4].equals("fits"),
                    Long.parseLong(f[5]),
                    Long.parseLong(f[6]));
        }

        Simulation play() {
            Graph graph = GRAPHS.computeIfAbsent(
                    model, name -> Importers.read(Fixtures.models().resolve(name + ".pt2")));
            Line line = new Line();
            new CommandLine(line).parseArgs(arguments.split(" "));
            Scenario run = line.scenario.toRecorded().with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);
            PredictionRequest whole = new PredictionRequest(graph, run.on(gpu));
            long context = gpu.memory() - Predictor.room(whole);
            return Predictor.simulate(
                    new PredictionRequest(graph, run.withDevice(new DeviceBudget(gpu, room + context, 0, null))));
        }

        @Override
        public String toString() {
            return model + " " + arguments + " on " + gpu.name();
        }
    }

    static List<Outcome> outcomes() throws IOException {
        return Files.readAllLines(Fixtures.folder().resolve("advice").resolve("outcomes.csv")).stream()
                .skip(1)
                .map(Outcome::of)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("outcomes")
    void theRunEndsAsInPyTorch(Outcome outcome) {
        Simulation run = outcome.play();
        assertEquals(outcome.fits(), run.oom() == null);
        if (outcome.fits()) {
            assertEquals(outcome.allocated(), run.maxAllocated(), SAME * outcome.allocated());
        }
    }

    @Test
    void bothEndingsAreThere() throws IOException {
        long fits = outcomes().stream().filter(Outcome::fits).count();
        assertTrue(
                fits > 50 && outcomes().size() - fits > 20,
                fits + " of " + outcomes().size());
    }
}
