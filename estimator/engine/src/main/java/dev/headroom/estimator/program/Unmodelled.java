package dev.headroom.estimator.program;

import java.util.Map;
import java.util.TreeMap;

/** Counts calls of operators that have no rule, or one that is a bound. */
public final class Unmodelled {
    private final Map<String, Integer> counts = new TreeMap<>();

    void count(String operator) {
        counts.merge(operator, 1, Integer::sum);
    }

    /** Calls by operator, with others. */
    public Map<String, Integer> with(Map<String, Integer> more) {
        Map<String, Integer> all = new TreeMap<>(counts);
        more.forEach((name, times) -> all.merge(name, times, Integer::sum));
        return all;
    }

    /** Calls by operator. */
    public Map<String, Integer> counts() {
        return counts;
    }
}
