package dev.headroom.validation.parallel;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.estimator.predict.DeviceRun;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.units.OptionNames;
import dev.headroom.validation.RecordedRun;
import dev.headroom.validation.TraceComparison;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One rank, or the devices of one process, beside what was recorded of it.
 *
 * @param phases both sides of each phase, in order; a side that has fewer phases is "" in the others
 * @param peaks of each device
 * @param traces what differs event by event; "" where all are equal, or none were recorded
 * @param outOfMemory the phase in which each side ran out of memory; "" for none
 */
public record RankComparison(List<Pair> phases, List<Peak> peaks, String traces, Pair outOfMemory) {
    private static final int SHOWN = 10;

    /** A line of text each. */
    public record Pair(String recorded, String predicted) {
        public boolean equal() {
            return recorded.equals(predicted);
        }
    }

    /** The largest figures of a device over its run, in bytes, predicted minus recorded beside the recorded ones. */
    public record Peak(long allocated, long allocatedDifference, long reserved, long reservedDifference) {
        /** The larger relative error. */
        public double error() {
            return Math.max(error(allocated, allocatedDifference), error(reserved, reservedDifference));
        }

        private static double error(long recorded, long difference) {
            return difference == 0 ? 0 : Math.abs(difference) / (double) recorded;
        }
    }

    /** Plays the recorded run of the model in this archive. */
    public static RankComparison of(Recording recording, Path archive) {
        Simulation played = Predictor.simulate(new RecordedRun(recording).request(archive));
        return new RankComparison(
                phases(recorded(recording), predicted(played)),
                peaks(recording, played),
                traces(recording, played),
                new Pair(
                        recording.oom().path("during").asText(""),
                        played.oom() == null ? "" : played.oom().moment().words()));
    }

    /** Whether nothing differs. */
    public boolean equal() {
        return traces.isEmpty() && outOfMemory.equal() && phases.stream().allMatch(Pair::equal);
    }

    private static List<Pair> phases(List<String> recorded, List<String> predicted) {
        List<Pair> out = new ArrayList<>();
        for (int i = 0; i < Math.max(recorded.size(), predicted.size()); i++) {
            out.add(new Pair(i < recorded.size() ? recorded.get(i) : "", i < predicted.size() ? predicted.get(i) : ""));
        }
        return List.copyOf(out);
    }

    private static List<String> recorded(Recording recording) {
        List<String> out = new ArrayList<>();
        JsonNode phases = recording.root().path("phases");
        for (int i = 0; i < phases.size(); i++) {
            StringBuilder text = new StringBuilder(recording.phases().get(i).label());
            for (JsonNode d : devices(phases.path(i))) {
                text.append(figures(
                        d.path("allocated").asLong(),
                        d.path("reserved").asLong(),
                        d.path("max_allocated").asLong(),
                        d.path("max_reserved").asLong()));
            }
            out.add(text + " " + phases.path(i).path("collectives"));
        }
        return out;
    }

    private static Iterable<JsonNode> devices(JsonNode phase) {
        return phase.path("devices").isArray() ? phase.path("devices") : List.of(phase);
    }

    private static List<String> predicted(Simulation played) {
        List<String> out = new ArrayList<>();
        for (int i = 0; i < played.phases().size(); i++) {
            List<String> rows = played.collectives().get(i).stream()
                    .map(RankComparison::row)
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

    private static List<Peak> peaks(Recording recording, Simulation played) {
        List<Peak> out = new ArrayList<>();
        JsonNode phases = recording.root().path("phases");
        for (JsonNode d : devices(phases.path(phases.size() - 1))) {
            List<PhaseMemory> own = played.devices().get(out.size()).phases();
            PhaseMemory last = own.get(own.size() - 1);
            long allocated = d.path("max_allocated").asLong();
            long reserved = d.path("max_reserved").asLong();
            out.add(new Peak(allocated, last.maxAllocated() - allocated, reserved, last.maxReserved() - reserved));
        }
        return List.copyOf(out);
    }

    private static String traces(Recording recording, Simulation played) {
        StringBuilder out = new StringBuilder();
        if (recording.trace().isArray()) {
            TraceComparison comparison = TraceComparison.of(recording, played);
            out.append(comparison.equal() ? "" : comparison.report(SHOWN));
        }
        for (DeviceRun device : played.devices()) {
            if (recording.trace(device.device()).isArray()) {
                TraceComparison comparison = TraceComparison.of(recording, played, device.device());
                out.append(comparison.equal() ? "" : "device " + device.device() + ": " + comparison.report(SHOWN));
            }
        }
        return out.toString();
    }

    private static String figures(long allocated, long reserved, long maxAllocated, long maxReserved) {
        return " " + allocated + " " + reserved + " " + maxAllocated + " " + maxReserved;
    }

    private static String row(CollectiveRow r) {
        return "[\"" + r.kind().label() + "\"," + r.bytes() + ",\"" + OptionNames.of(r.type()) + "\"," + r.groupSize()
                + "," + r.communicator() + "," + r.stream() + "," + r.peer() + "," + r.times() + "]";
    }
}
