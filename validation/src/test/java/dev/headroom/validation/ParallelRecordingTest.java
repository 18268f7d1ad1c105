package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.estimator.predict.DeviceRun;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.fixtures.Fixtures;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.units.OptionNames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A rank takes what the recorded rank took: in every phase, event by event where there is a trace, with its
 * collectives.
 */
class ParallelRecordingTest {
    /** Strategies whose recordings are equal, by the first part of the recordings' names. */
    private static final Set<String> STRATEGIES = Set.of(
            "ddp", "dp", "mp", "pp", "fsdp2", "zero1", "zero2", "zero3", "tp", "tpfsdp2", "fsdp1", "ppddp", "ppfsdp2",
            "pptp", "3d");

    static Stream<Path> recordings() {
        return Fixtures.recordings(Fixtures.recordings().resolve("parallel")).stream()
                .filter(f -> STRATEGIES.contains(f.getFileName().toString().split("-")[0]));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("recordings")
    void everyPhaseIsTheRecordedOne(Path file) {
        Recording recording = Recording.read(file);
        RecordedRun run = new RecordedRun(recording);
        Simulation played =
                Predictor.simulate(run.request(run.archive(Fixtures.models()).orElseThrow()));
        if (recording.trace().isArray()) {
            TraceComparison comparison = TraceComparison.of(recording, played);
            assertTrue(comparison.equal(), () -> comparison.report(10));
        }
        for (DeviceRun device : played.devices()) {
            if (recording.trace(device.device()).isArray()) {
                TraceComparison comparison = TraceComparison.of(recording, played, device.device());
                assertTrue(comparison.equal(), () -> "device " + device.device() + ": " + comparison.report(10));
            }
        }
        assertEquals(
                recording.oom().path("during").asText(""),
                played.oom() == null ? "" : played.oom().moment().words());
        assertEquals(recorded(recording), predicted(played));
    }

    private static List<String> recorded(Recording recording) {
        List<String> out = new ArrayList<>();
        JsonNode phases = recording.root().path("phases");
        for (int i = 0; i < phases.size(); i++) {
            Recording.Phase p = recording.phases().get(i);
            JsonNode devices = phases.path(i).path("devices");
            StringBuilder text = new StringBuilder(p.label());
            (devices.isArray() ? devices : List.of(phases.path(i)))
                    .forEach(d -> text.append(figures(
                            d.path("allocated").asLong(),
                            d.path("reserved").asLong(),
                            d.path("max_allocated").asLong(),
                            d.path("max_reserved").asLong())));
            out.add(text + " " + phases.path(i).path("collectives"));
        }
        return out;
    }

    private static List<String> predicted(Simulation played) {
        List<String> out = new ArrayList<>();
        for (int i = 0; i < played.phases().size(); i++) {
            List<String> rows = played.collectives().get(i).stream()
                    .map(ParallelRecordingTest::row)
                    .toList();
            StringBuilder text =
                    new StringBuilder(played.phases().get(i).moment().label());
            for (DeviceRun device : played.devices()) {
                PhaseMemory p = device.phases().get(i);
                text.append(figures(p.allocated(), p.reserved(), p.maxAllocated(), p.maxReserved()));
            }
            out.add(text + " [" + String.join(",", rows) + "]");
        }
        return out;
    }

    private static String figures(long allocated, long reserved, long maxAllocated, long maxReserved) {
        return " " + allocated + " " + reserved + " " + maxAllocated + " " + maxReserved;
    }

    private static String row(CollectiveRow r) {
        return "[\"" + r.kind().label() + "\"," + r.bytes() + ",\"" + OptionNames.of(r.type()) + "\"," + r.groupSize()
                + "," + r.communicator() + "," + r.stream() + "," + r.peer() + "," + r.times() + "]";
    }
}
