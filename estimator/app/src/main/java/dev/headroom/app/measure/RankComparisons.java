package dev.headroom.app.measure;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The predictions of ranks beside what they took.
 *
 * @param ranks by rank; a run on a single GPU has one
 */
record RankComparisons(Map<Integer, Comparison> ranks) {
    /** Whether every figure of every rank is the same. */
    boolean equal() {
        return different().isEmpty();
    }

    /** The ranks with differences. */
    List<Integer> different() {
        return ranks.entrySet().stream()
                .filter(e -> !agrees(e.getValue()))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /** Whether a rank is as predicted, or was as long as all ranks ran. */
    private boolean agrees(Comparison c) {
        boolean stopped = c.measured().oom() == null
                && ranks.values().stream().anyMatch(other -> other.measured().oom() != null);
        return stopped
                ? c.phases().stream().filter(p -> p.measured() != null).allMatch(Comparison.Phase::equal)
                : c.equal();
    }

    /** The rank to show: the first that differs, else one that ran out of memory, else the one that takes most. */
    int shown() {
        return equal()
                ? ranks.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .max(Comparator.comparing(e -> e.getValue().measured().oom() != null
                                ? Long.MAX_VALUE
                                : e.getValue().measured().peak().reserved()))
                        .orElseThrow()
                        .getKey()
                : different().get(0);
    }

    /** What is told of the rank to show. */
    Comparison comparison() {
        return Objects.requireNonNull(ranks.get(shown()), "a rank");
    }

    /** One line on all ranks. */
    String words() {
        String all = ranks.size() + " ranks ran, each on a device of its own; this is rank " + shown();
        return equal()
                ? all + ", and all are as predicted"
                : all + "; differences in rank "
                        + String.join(
                                ", ", different().stream().map(Object::toString).toList());
    }
}
