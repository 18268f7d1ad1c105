package dev.headroom.estimator.program;

import java.util.Map;
import java.util.TreeMap;

/** Counts calls of operators that have no rule, or one that is a bound. */
public final class Unmodelled {
    private final Map<String, Integer> counts = new TreeMap<>();

    void count(String operator) {
        counts.merge(operator, 1, Integer::sum);
    }

    /** Calls by operator. */
    public Map<String, Integer> counts() {
        return counts;
    }
}
