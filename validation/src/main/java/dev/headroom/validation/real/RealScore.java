package dev.headroom.validation.real;

import dev.headroom.allocator.Bytes;
import dev.headroom.model.device.DeviceLines;
import dev.headroom.validation.scores.Distribution;
import dev.headroom.validation.scores.Verdicts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A set beside its predictions.
 *
 * @param set what was measured
 * @param constant bytes of the device that are not the allocator's: context, libraries and their kernels; one for the
 *     whole set, where what is measured less what is predicted lies most densely
 * @param half the same of one half of the groups alone
 * @param results every run that was predicted
 * @param compared those whose bytes can be compared
 * @param ranOut runs that are said to run out of memory
 * @param verdicts over the runs of which it is certain whether they ran
 */
record RealScore(
        RealSet set,
        long constant,
        long half,
        List<RealResult> results,
        List<RealResult> compared,
        Set<RealRun> ranOut,
        Verdicts verdicts) {
    private static final double HUNDRED = 100;

    /** Predicts every run. */
    static RealScore of(RealSet set) {
        List<RealResult> results = set.runs().parallelStream()
                .map(RealResult::of)
                .filter(r -> r.fault() == null)
                .toList();
        long constant = constant(results, r -> true);
        if (constant == 0 && !results.isEmpty()) {
            // nothing to learn it from
            constant = DeviceLines.bytes(results.get(0).run().request().get().deviceLines());
        }
        List<Verdicts.Verdict> verdicts = new ArrayList<>();
        List<RealResult> compared = new ArrayList<>();
        long beside = constant;
        Set<RealRun> out = results.parallelStream()
                .filter(r -> r.ranOut(beside, set.usable()))
                .map(RealResult::run)
                .collect(Collectors.toSet());
        for (RealResult r : results) {
            if (r.run().fate() != RealRun.Fate.EDGE) {
                verdicts.add(new Verdicts.Verdict(r.run().fate() == RealRun.Fate.RAN_OUT, out.contains(r.run()), null));
            }
            if (!out.contains(r.run())
                    && r.run().fate() == RealRun.Fate.FITS
                    && r.run().measured() > 0) {
                compared.add(r);
            }
        }
        long half = constant(results, RealScore::learned);
        return new RealScore(set, constant, half, results, compared, out, Verdicts.of(verdicts));
    }

    private static long constant(List<RealResult> results, Predicate<RealResult> of) {
        double[] sorted = results.stream()
                .filter(r -> r.run().fate() == RealRun.Fate.FITS && r.run().measured() > 0)
                .filter(r -> r.run().figure() == RealRun.Figure.DEVICE)
                .filter(of)
                .mapToDouble(r -> r.run().measured() - r.reserved())
                .sorted()
                .toArray();
        return sorted.length == 0 ? 0 : Math.round(densest(sorted) / Bytes.MIB) * Bytes.MIB;
    }

    /** The median of the quarter that lies closest together: what most runs agree on, whatever the others lack. */
    private static double densest(double... sorted) {
        int window = Math.max(1, sorted.length / 4);
        int best = 0;
        for (int i = 0; i + window <= sorted.length; i++) {
            if (sorted[i + window - 1] - sorted[i] < sorted[best + window - 1] - sorted[best]) {
                best = i;
            }
        }
        return sorted[best + window / 2];
    }

    /** Whether a run's group is in the half that is learned from. */
    static boolean learned(RealResult r) {
        return (r.run().group().hashCode() & 1) == 0;
    }

    /** Relative errors of some runs, in any order. */
    double[] errors(Predicate<RealResult> of, long withConstant) {
        return compared.stream()
                .filter(of)
                .mapToDouble(r -> r.error(withConstant))
                .toArray();
    }

    /** Sizes of errors. */
    static Distribution sizes(double... errors) {
        return Distribution.of(Arrays.stream(errors).map(Math::abs).toArray());
    }

    /** The part of errors that are no larger. */
    static double within(double size, double... errors) {
        return Arrays.stream(errors).filter(e -> Math.abs(e) <= size).count() / (double) Math.max(1, errors.length);
    }

    /** The part of runs that lie within so many MiB of the constant. */
    double withinMib(long mib) {
        return compared.stream()
                        .filter(r -> Math.abs(r.run().measured() - r.predicted(constant)) <= mib * Bytes.MIB)
                        .count()
                / (double) Math.max(1, compared.size());
    }

    /** How many groups have a verdict that is wrong, and wrong a step further on the ladder, too. */
    long farOff() {
        return results.parallelStream()
                .map(RealResult::run)
                .filter(this::wrong)
                .filter(r -> {
                    RealRun further = r.further();
                    return further != null
                            && (further.fate() == RealRun.Fate.RAN_OUT)
                                    != RealResult.of(further).ranOut(constant, set.usable());
                })
                .map(RealRun::group)
                .distinct()
                .count();
    }

    private boolean wrong(RealRun run) {
        return run.fate() != RealRun.Fate.EDGE && (run.fate() == RealRun.Fate.RAN_OUT) != ranOut.contains(run);
    }

    /** How many groups have nothing but right verdicts, and how many there are. */
    long[] rightGroups() {
        Set<String> wrong = results.stream()
                .map(RealResult::run)
                .filter(this::wrong)
                .map(RealRun::group)
                .collect(Collectors.toSet());
        long all = results.stream().map(r -> r.run().group()).distinct().count();
        return new long[] {all - wrong.size(), all};
    }

    /** Names of peers. */
    List<String> peers() {
        return set.runs().stream()
                .flatMap(r -> r.peers().keySet().stream())
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * Errors of a peer on the runs that Headroom is compared on.
     *
     * @param generous with a constant of its own, learned as Headroom's is
     */
    double[] errors(String peer, boolean generous) {
        ToDoubleFunction<RealResult> said =
                r -> Objects.requireNonNull(r.run().peers().get(peer));
        List<RealResult> rows =
                compared.stream().filter(r -> r.run().peers().containsKey(peer)).toList();
        List<Double> offsets = new ArrayList<>();
        rows.forEach(r -> offsets.add(r.run().measured() - said.applyAsDouble(r)));
        Collections.sort(offsets);
        double offset = generous && !offsets.isEmpty() ? offsets.get(offsets.size() / 2) : 0;
        return rows.stream()
                .mapToDouble(r -> (said.applyAsDouble(r) + offset - r.run().measured())
                        / r.run().measured())
                .toArray();
    }

    /** A line of a table: runs, median, quantiles. */
    static String line(double... errors) {
        Distribution d = sizes(errors);
        return String.format(
                Locale.ROOT,
                "%d | %.2f %% | %.2f %% | %.2f %% | %.1f %% | %.1f %%",
                d.count(),
                HUNDRED * d.median(),
                HUNDRED * d.mean(),
                HUNDRED * d.ninety(),
                HUNDRED * within(0.01, errors),
                HUNDRED * within(0.05, errors));
    }
}
