package dev.headroom.validation.generate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.predict.Simulation;
import dev.headroom.shadow.Attribution;
import dev.headroom.shadow.EventLog;
import dev.headroom.shadow.Runtime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code CompareCases FILE}: holds simulations against recorded cases, event by event where there is a trace. */
public final class CompareCases {
    private static final int CONTEXT = 6;

    private CompareCases() {}

    public static void main(String[] args) {
        if (args.length != 1) {
            System.err.println("usage: CompareCases RECORDED.jsonl.gz");
            System.exit(2);
        }
        int equal = 0;
        int failed = 0;
        List<RecordedCase> cases = RecordedCase.read(Path.of(args[0]));
        for (int i = 0; i < cases.size(); i++) {
            RecordedCase c = cases.get(i);
            if (!c.error().isEmpty()) {
                failed++;
                continue;
            }
            Simulation simulated = c.simulate();
            String difference = c.difference(simulated);
            if (difference == null) {
                equal++;
            } else {
                System.out.println("case " + i + ": " + c.asked());
                System.out.println(difference);
                if (!c.trace().isMissingNode()) {
                    System.out.print(events(c, simulated.runtime()));
                }
            }
        }
        System.out.println(equal + " of " + cases.size() + " equal, " + failed + " not recorded");
    }

    /** Both lists of events around the first difference. */
    private static String events(RecordedCase c, Runtime runtime) {
        List<String> truth = recorded(c);
        List<String> mine = simulated(runtime);
        int at = 0;
        while (at < Math.min(truth.size(), mine.size()) && key(truth.get(at)).equals(key(mine.get(at)))) {
            at++;
        }
        StringBuilder out = new StringBuilder();
        for (int k = Math.max(0, at - CONTEXT); k < at + 2 * CONTEXT; k++) {
            out.append("%6d %-60s %s%n"
                    .formatted(k, k < truth.size() ? truth.get(k) : "", k < mine.size() ? mine.get(k) : ""));
        }
        return out.toString();
    }

    private static String key(String event) {
        return event.replaceFirst(" [^0-9].*", "");
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

    private static List<String> simulated(Runtime runtime) {
        List<String> out = new ArrayList<>();
        Map<Integer, Integer> numbers = new HashMap<>();
        EventLog log = runtime.log();
        log.replay(log.size(), new EventLog.Visitor() {
            @Override
            public void allocated(int storage) {
                if (log.requested(storage) > 0) {
                    numbers.put(storage, numbers.size() + 1);
                    Attribution who = runtime.attribution(log.attribution(storage));
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
