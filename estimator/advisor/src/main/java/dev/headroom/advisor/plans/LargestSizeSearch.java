package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ModelSettings.SEQ;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.advisor.variants.Outcome;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/**
 * Looks for the largest batch, or other open size, with which a run gets through. Memory grows with the size nearly as
 * a line, so two runs with room for anything say where to begin, and mostly what they asked says all the rest.
 */
final class LargestSizeSearch {
    /** A size that can be given in steps further apart than this counts as fixed. */
    private static final int WIDEST_STEP = 64;

    /** No size is larger. */
    static final long MOST = 1L << 40;

    private final VariantPlayer player;
    private final String name;
    private final Scenario run;
    private final BiFunction<Scenario, Long, Scenario> set;

    private LargestSizeSearch(
            VariantPlayer player, String name, Scenario run, BiFunction<Scenario, Long, Scenario> set) {
        this.player = player;
        this.name = name;
        this.run = run;
        this.set = set;
    }

    /** The largest batch, for a run that names one. */
    static Largest batch(VariantPlayer player, Scenario run) {
        LargestSizeSearch batches = batches(player, run);
        long given = run.sizes().givenBatch();
        return batches.from(given, step -> half(given, step), true);
    }

    /** Plays what the search for the largest batch is going to begin with, beside the run itself. */
    static Optional<Outcome> prepare(VariantPlayer player, Scenario run) {
        LargestSizeSearch batches = batches(player, run);
        long given = run.sizes().givenBatch();
        long step = batches.step(given);
        return step == 0 ? Optional.empty() : Optional.of(player.unbounded(batches.with(half(given, step))));
    }

    /** The same with the largest batch that is safe. */
    static Largest safe(VariantPlayer player, Scenario run, Largest found) {
        LargestSizeSearch batches = batches(player, run);
        if (found.value() == null) {
            return found;
        }
        long step = batches.step(found.value());
        return found.withSafe(new SafeSizeSearch(batches::risk, found.value(), step).find());
    }

    private static LargestSizeSearch batches(VariantPlayer player, Scenario run) {
        return new LargestSizeSearch(player, "batch", run, (r, value) -> r.with(BATCH, value));
    }

    /** The largest value of a size that the run's {@code dims} give. */
    static Largest dim(VariantPlayer player, Scenario run, String dim) {
        return new LargestSizeSearch(player, dim, run, (r, value) -> r.withDim(dim, value))
                .from(Objects.requireNonNull(run.sizes().dims().get(dim), dim));
    }

    /** The longest sequence of a model from a {@code config.json}, with the run's batch. */
    static Largest sequence(VariantPlayer player, Scenario run) {
        return new LargestSizeSearch(player, "seq", run, (r, value) -> r.with(SEQ, value))
                .from(Objects.requireNonNull(run.model().seq(), "a sequence length"));
    }

    private Scenario with(long value) {
        return set.apply(run, value);
    }

    /**
     * The largest batch, when it is worth looking for.
     *
     * @param worth the least that is
     * @return 0 for a smaller one
     */
    static long batch(VariantPlayer player, Scenario run, long worth) {
        LargestSizeSearch batches = batches(player, run);
        long given = run.sizes().givenBatch();
        long step = batches.step(given);
        if (step == 0) {
            return given >= worth && player.fits(run) ? given : 0;
        }
        long first = given + (long) Math.ceil((worth - given) / (double) step) * step;
        if (!batches.mayReach(first)) {
            return 0;
        }
        Long value = batches.from(first, s -> batches.second(first, s), false).value();
        return value == null || value < worth ? 0 : value;
    }

    /** Whether a size may get through, or one beyond it, whatever workspaces kernels take. */
    private boolean mayReach(long size) {
        player.unbounded(with(size));
        return player.requests(with(size))
                .map(asks -> player.areGranted(asks.withoutScratch(), with(size)))
                .orElse(true);
    }

    private Largest from(long start) {
        return from(start, step -> second(start, step), true);
    }

    /**
     * @param other size to begin with, by the step between sizes
     * @param sure whether sizes beyond the first that fails are played even where runs of other sizes tell, and were
     *     right before, that they do not get through
     */
    private Largest from(long start, LongUnaryOperator other, boolean sure) {
        long step = step(start);
        if (step == 0) {
            Long value = player.fits(with(start)) ? start : null;
            return new Largest(name, value, start, value == null ? Largest.Limit.MEMORY : Largest.Limit.MODEL, null);
        }
        long least = least(start, step);
        SizeForecast forecast = new SizeForecast(player, this::with, step, least);
        SizeGuess begin = SizeGuess.of(player, forecast, start, other.applyAsLong(step));
        // Memory may go down with growing sizes: nothing below a size that gets through is the largest.
        long guess = begin.size() < start && fits(start) ? start : begin.size();
        long low = told(forecast, begin, guess, sure)
                .orElseGet(() -> lastSize(this::fits, forecast, sure).from(guess, begin.close()));
        boolean model = player.isImpossible(with(low + step));
        return new Largest(
                name,
                low < least ? null : (Long) low,
                low + step,
                model && low >= least ? Largest.Limit.MODEL : Largest.Limit.MEMORY,
                null);
    }

    /**
     * The last size by what runs of other sizes asked for, where that is all that there is to know. It is played, and
     * must ask for what was foretold, and so are a few beyond it, which must not get through.
     */
    private OptionalLong told(SizeForecast forecast, SizeGuess begin, long guess, boolean sure) {
        if (!begin.close() || !forecast.isWhole()) {
            return OptionalLong.empty();
        }
        long last = forecast.lastWithRoom(
                lastSize(forecast::mayFit, forecast, false).from(guess, true));
        boolean near = Math.abs(last - guess) <= forecast.step();
        List<Long> played = LongStream.rangeClosed(0, sure || !near ? LastSize.LOOK_AHEAD + 1 : 1)
                .map(steps -> last + steps * forecast.step())
                .boxed()
                .toList();
        Predicate<Long> isOtherwise = size -> fits(size) != (size == last);
        boolean right = last >= forecast.least()
                && player.processors().first(played, isOtherwise).isEmpty()
                && forecast.isRight(last);
        return right ? OptionalLong.of(last) : OptionalLong.empty();
    }

    private LastSize lastSize(LongPredicate fits, SizeForecast forecast, boolean sure) {
        return new LastSize(fits, forecast, player.processors(), sure);
    }

    private double risk(long value) {
        Double risk = player.predict(with(value)).verdict().probabilityOom();
        return risk == null ? 1 : risk;
    }

    private static long least(long start, long step) {
        return start % step == 0 ? step : start % step;
    }

    /** Half of a size, or the next one where there is none. */
    private static long half(long start, long step) {
        long least = least(start, step);
        long half = Math.max(least, start / 2 / step * step + least % step);
        return half == start ? start + step : half;
    }

    /** Another size than the first, as near to the largest as that tells: memory grows by less than sizes. */
    private long second(long start, long step) {
        long least = least(start, step);
        Outcome first = player.unbounded(with(start));
        double share = first.allocated() == 0 ? 1 : player.room() / (double) first.allocated();
        long steps = (long) ((Math.min(start * share, MOST) - least) / step);
        long other = least + Math.max(0, steps) * step;
        return other == start ? start + step : other;
    }

    private boolean fits(long value) {
        return value <= MOST && player.fits(with(value));
    }

    /**
     * The distance of sizes that the model takes: 1 mostly, more where sizes are multiples; 0 when there is no other.
     */
    private long step(long start) {
        for (long step = 1; step <= WIDEST_STEP; step++) {
            if (possible(start + step) || start > step && possible(start - step)) {
                return step;
            }
        }
        return 0;
    }

    private boolean possible(long value) {
        try {
            PreparedRun.symbols(player.graph(), with(value));
            return true;
        } catch (UserInputException e) {
            return false;
        }
    }
}
