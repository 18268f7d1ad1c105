package dev.headroom.validation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.fixtures.Recording;
import dev.headroom.model.error.UserInputException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the first place where a simulated run allocates or frees something else than its recorded trace. Frees between
 * two allocations may come in any order.
 */
public final class TraceComparison {
    /**
     * An allocation and what is freed after it, before the next.
     *
     * @param label who made it
     * @param freed numbers of the allocations that are freed, in order of number
     */
    private record Step(long bytes, String label, List<Integer> freed) {
        @Override
        public String toString() {
            return bytes + " " + label + (freed.isEmpty() ? "" : "  then frees " + freed);
        }
    }

    private final List<Step> truth;
    private final List<Step> played;

    private TraceComparison(List<Step> truth, List<Step> played) {
        this.truth = truth;
        this.played = played;
    }

    /** Compares a recording that has a trace with a run that was played. */
    public static TraceComparison of(Recording recording, Simulation run) {
        return new TraceComparison(recorded(recording.trace()), simulated(run, run.log()));
    }

    /** Compares what a GPU of a process that has several saw. */
    public static TraceComparison of(Recording recording, Simulation run, int device) {
        return new TraceComparison(
                recorded(recording.trace(device)),
                simulated(run, run.devices().get(device).log()));
    }

    /** Compares two runs that were played; the first stands for the truth. */
    public static TraceComparison of(Simulation run, Simulation other) {
        return new TraceComparison(simulated(run, run.log()), simulated(other, other.log()));
    }

    /** {@code TraceComparison RECORDING MODELS [STEPS_TO_SHOW]}. */
    public static void main(String[] args) {
        if (args.length < 2) {
            System.err.println("usage: TraceComparison RECORDING_WITH_TRACE FOLDER_OF_MODELS [LINES]");
            System.exit(2);
        }
        Recording recording = Recording.read(Path.of(args[0]));
        RecordedRun run = new RecordedRun(recording);
        Path archive = run.archive(Path.of(args[1])).orElseThrow();
        Simulation simulated = Predictor.simulate(run.request(archive));
        System.out.print(of(recording, simulated).report(args.length > 2 ? Integer.parseInt(args[2]) : 10));
    }

    /** Allocations in the recording. */
    public int recorded() {
        return truth.size();
    }

    /** How many allocations, from the first on, are alike, with what is freed between them. */
    public int agreeing() {
        int n = Math.min(truth.size(), played.size());
        int i = 0;
        while (i < n && same(truth.get(i), played.get(i))) {
            i++;
        }
        return i;
    }

    /** Whether nothing differs. */
    public boolean equal() {
        return truth.size() == played.size() && agreeing() == truth.size();
    }

    /**
     * Who asked for how much where the first difference is: {@code allocation 7: 4096 bytes by
     * layer1.0.conv1|convolution|, predicted 8192 bytes by layer1.0.conv1|aten.conv2d}; "" when nothing differs.
     */
    public String firstDifference() {
        if (equal()) {
            return "";
        }
        int first = agreeing();
        return "allocation " + first + ": " + (first < truth.size() ? who(truth.get(first)) : "none") + ", predicted "
                + (first < played.size() ? who(played.get(first)) : "none");
    }

    private static String who(Step step) {
        return step.bytes + " bytes" + (step.label.isEmpty() ? "" : " by " + step.label);
    }

    /** The first difference with a few lines around it. */
    public String report(int lines) {
        int first = agreeing();
        StringBuilder out = new StringBuilder("recorded %d allocations, simulated %d, the first %d agree%n"
                .formatted(truth.size(), played.size(), first));
        int end = Math.min(Math.min(truth.size(), played.size()), first + lines);
        for (int k = Math.max(0, first - 5); k < end && !equal(); k++) {
            String mark = same(truth.get(k), played.get(k)) ? " " : "!";
            out.append("%6d %s recorded  %s%n".formatted(k, mark, truth.get(k)));
            out.append("         simulated %s%n".formatted(played.get(k)));
        }
        return out.toString();
    }

    private static boolean same(Step a, Step b) {
        return a.bytes == b.bytes && a.freed.equals(b.freed);
    }

    private static List<Step> recorded(JsonNode trace) {
        List<Step> steps = new ArrayList<>();
        int lastPhase = 0;
        int position = 0;
        for (JsonNode e : trace) {
            position++;
            lastPhase = e.path(0).asText().equals("phase") ? position : lastPhase;
        }
        for (JsonNode e : trace) {
            if (lastPhase-- == 0) {
                break; // what follows is the end of the process
            }
            switch (e.path(0).asText()) {
                case "alloc" -> steps.add(new Step(e.path(2).asLong(), e.path(5).asText(), new ArrayList<>()));
                case "free_requested" -> free(steps, e.path(1).asInt());
                default -> {}
            }
        }
        return steps;
    }

    private static void free(List<Step> steps, int number) {
        if (steps.isEmpty()) {
            throw new UserInputException("trace: it frees memory before it allocates any; record it from the start");
        }
        List<Integer> freed = steps.get(steps.size() - 1).freed;
        int at = 0;
        while (at < freed.size() && freed.get(at) < number) {
            at++;
        }
        freed.add(at, number);
    }

    private static List<Step> simulated(Simulation run, EventLog log) {
        List<Step> steps = new ArrayList<>();
        Map<Integer, Integer> numbers = new HashMap<>();
        log.replay(log.size(), new EventLog.Visitor() {
            @Override
            public void allocated(int storage) {
                if (log.requested(storage) > 0) {
                    numbers.put(storage, steps.size());
                    Attribution who = run.attributions().get(log.attribution(storage));
                    steps.add(new Step(log.requested(storage), who.module() + "|" + who.operator(), new ArrayList<>()));
                }
            }

            @Override
            public void freed(int storage) {
                if (numbers.containsKey(storage)) {
                    free(steps, numbers.get(storage));
                }
            }
        });
        return steps;
    }
}
