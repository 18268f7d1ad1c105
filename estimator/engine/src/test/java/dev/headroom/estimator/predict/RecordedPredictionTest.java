package dev.headroom.estimator.predict;

import static dev.headroom.model.scenario.ScenarioSettings.ALLOC_CONF;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.replay.Replay;
import dev.headroom.allocator.replay.ReplayResult;
import dev.headroom.allocator.snapshot.Frame;
import dev.headroom.allocator.snapshot.Snapshot;
import dev.headroom.allocator.snapshot.SnapshotSegment;
import dev.headroom.allocator.snapshot.TraceEvent;
import dev.headroom.allocator.trace.SnapshotTrace;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The snapshot of a predicted run tells the same story as the prediction. */
class RecordedPredictionTest {
    private static RecordedPrediction recorded(Long memory, String conf) {
        Scenario run = Scenario.defaults()
                .with(BATCH, 8L)
                .with(OPTIMIZER, OptimizerKind.SGD)
                .with(ALLOC_CONF, conf)
                .with(STEPS, 2);
        return RecordedPrediction.of(
                new PredictionRequest(model(), run.withDevice(new DeviceBudget(null, memory, 0, null))));
    }

    @Test
    void predictsAsWithoutRecording() {
        Scenario run = Scenario.defaults()
                .with(BATCH, 8L)
                .with(OPTIMIZER, OptimizerKind.SGD)
                .with(STEPS, 2);
        Prediction plain = Predictor.predict(new PredictionRequest(model(), run));
        Prediction recorded = recorded(null, "").prediction();
        assertEquals(plain.phases(), recorded.phases());
        assertEquals(plain.peak(), recorded.peak());
        assertEquals(plain.verdict(), recorded.verdict());
    }

    @Test
    void replayingItGivesThePeaks() throws IOException {
        for (String conf : List.of("", "expandable_segments:True", "max_split_size_mb:64")) {
            RecordedPrediction recorded = recorded(null, conf);
            SnapshotTrace trace = new SnapshotTrace(recorded.snapshot(), 0, "predicted");
            assertEquals(conf, trace.settings().text());
            ReplayResult result = Replay.run(trace, trace.settings(), 0);
            assertEquals(recorded.prediction().peak().allocated(), result.peakAllocated());
            assertEquals(recorded.prediction().peak().reserved(), result.peakReserved());
        }
    }

    @Test
    void segmentsAreThoseAtTheEnd() throws IOException {
        RecordedPrediction recorded = recorded(null, "");
        List<PhaseMemory> phases = recorded.prediction().phases();
        PhaseMemory end = phases.get(phases.size() - 1);
        List<SnapshotSegment> segments = recorded.snapshot().segments();
        assertEquals(
                end.reserved(),
                segments.stream().mapToLong(SnapshotSegment::totalSize).sum());
        assertEquals(
                end.allocated(),
                segments.stream().mapToLong(SnapshotSegment::allocatedSize).sum());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        recorded.snapshot().write(out);
        assertEquals(recorded.snapshot(), Snapshot.read(new ByteArrayInputStream(out.toByteArray())));
    }

    @Test
    void framesSayOperatorModuleAndPhase() {
        List<TraceEvent> events = recorded(null, "").snapshot().deviceTraces().get(0);
        assertTrue(events.stream().noneMatch(event -> event.frames().isEmpty()));
        List<Frame> convolution = List.of(
                new Frame("aten.conv2d", "operator", 0),
                new Frame("layer1.0.conv1", "module", 0),
                new Frame("forward of step 1", "phase", 0));
        assertTrue(events.stream()
                .anyMatch(event ->
                        event.action().equals("alloc") && event.frames().equals(convolution)));
        List<Frame> backward = List.of(
                new Frame("ConvolutionBackward0", "autograd node", 0),
                new Frame("aten.conv2d", "operator", 0),
                new Frame("layer1.0.conv1", "module", 0),
                new Frame("backward of step 1", "phase", 0));
        assertTrue(events.stream()
                .anyMatch(event ->
                        event.action().equals("alloc") && event.frames().equals(backward)));
        List<Frame> first = events.get(0).frames();
        assertEquals(new Frame("model", "phase", 0), first.get(first.size() - 1));
        List<Frame> last = events.get(events.size() - 1).frames();
        assertEquals(new Frame("backward of step 1", "phase", 0), last.get(last.size() - 1), "SGD needs no memory");
    }

    @Test
    void endsWhereMemoryRunsOut() {
        RecordedPrediction recorded = recorded(200L << 20, "");
        OutOfMemory oom = recorded.prediction().oom();
        TraceEvent event = recorded.snapshot().deviceTraces().get(0).stream()
                .filter(e -> e.action().equals("oom"))
                .reduce((a, b) -> b)
                .orElseThrow();
        assertTrue(event.frames().contains(new Frame(oom.operator(), "operator", 0)));
        assertTrue(event.frames().contains(new Frame(oom.module(), "module", 0)));
        assertTrue(event.frames().contains(new Frame(oom.moment().words(), "phase", 0)));
    }

    private static Graph model() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path archive = at.resolve("fixtures/models/resnet18-i224.pt2");
            if (Files.exists(archive)) {
                return Importers.read(archive);
            }
        }
        throw new IllegalStateException("no fixtures/models/resnet18-i224.pt2 above the working directory");
    }
}
