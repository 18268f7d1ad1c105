package dev.headroom.validation.generate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The allocations and frees of a case as texts: {@code +number bytes who} and {@code -number bytes}. Frees between two
 * allocations are sorted, as their own order makes no difference.
 *
 * @param truth of the recording
 * @param mine of the simulation
 */
record EventLists(List<String> truth, List<String> mine) {
    private static final int CONTEXT = 6;

    static EventLists of(RecordedCase c, Simulation run) {
        return new EventLists(sorted(recorded(c)), sorted(simulated(run)));
    }

    /** Whether nothing differs but who did it. */
    boolean equal() {
        return truth.size() == mine.size() && agreeing() == truth.size();
    }

    private int agreeing() {
        int at = 0;
        while (at < Math.min(truth.size(), mine.size()) && key(truth.get(at)).equals(key(mine.get(at)))) {
            at++;
        }
        return at;
    }

    /** Both lists around the first difference. */
    String report() {
        int at = agreeing();
        StringBuilder out = new StringBuilder();
        for (int k = Math.max(0, at - CONTEXT); k < at + 2 * CONTEXT; k++) {
            out.append("%6d %-60s %s%n"
                    .formatted(k, k < truth.size() ? truth.get(k) : "", k < mine.size() ? mine.get(k) : ""));
        }
        return out.toString();
    }

    private static List<String> sorted(List<String> events) {
        int from = 0;
        for (int i = 0; i <= events.size(); i++) {
            if (i == events.size() || events.get(i).startsWith("+")) {
                events.subList(from, i).sort(null);
                from = i + 1;
            }
        }
        return events;
    }

    private static String key(String event) {
        int who = event.indexOf(' ', event.indexOf(' ') + 1);
        return who < 0 ? event : event.substring(0, who);
    }

    private static List<String> recorded(RecordedCase c) {
        List<String> out = new ArrayList<>();
        List<Long> sizes = new ArrayList<>();
        for (JsonNode e : c.trace()) {
            if (!e.isNumber()) {
                continue; // the end of a phase
            }
            long n = e.asLong();
            if (n > 0) {
                sizes.add(n);
                out.add("+" + sizes.size() + " " + n + " "
                        + c.madeBy().path(sizes.size() - 1).asText());
            } else {
                out.add(n + " " + sizes.get((int) -n - 1));
            }
        }
        return out;
    }

    private static List<String> simulated(Simulation run) {
        List<String> out = new ArrayList<>();
        Map<Integer, Integer> numbers = new HashMap<>();
        EventLog log = run.log();
        log.replay(log.size(), new EventLog.Visitor() {
            @Override
            public void allocated(int storage) {
                if (log.requested(storage) > 0) {
                    numbers.put(storage, numbers.size() + 1);
                    Attribution who = run.madeBy(storage);
                    out.add("+" + numbers.get(storage) + " " + log.requested(storage) + " " + who.module() + "|"
                            + who.operator());
                }
            }

            @Override
            public void freed(int storage) {
                if (numbers.containsKey(storage)) {
                    out.add("-" + numbers.get(storage) + " " + log.requested(storage));
                }
            }
        });
        return out;
    }
}
