package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ModelSettings.SEQ;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.advisor.variants.Outcome;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.Objects;
import java.util.function.BiFunction;

/**
 * Looks for the largest batch, or other open size, with which a run gets through. Memory grows with the size nearly as
 * a line, so two runs with room for anything say where to begin; from there the search goes outwards in growing steps
 * until it has a size that fits and a larger one that does not, and halves what lies between. As rounding and the
 * kernels that are chosen make memory go down now and then, a few sizes beyond the first that fails are tried, too.
 */
final class LargestSizeSearch {
    /** Sizes beyond the first failure that have to fail as well. */
    private static final int LOOK_AHEAD = 3;

    /** A size that can be given in steps further apart than this counts as fixed. */
    private static final int WIDEST_STEP = 64;

    private static final long MOST = 1L << 40;

    /** Lines that may be drawn: memory follows one over a long way, and then another. */
    private static final int MOST_LINES = 4;

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
        return batches(player, run).from(run.sizes().givenBatch());
    }

    /** The same with the largest batch that is safe. */
    static Largest safeBatch(VariantPlayer player, Scenario run) {
        LargestSizeSearch batches = batches(player, run);
        Largest found = batches.from(run.sizes().givenBatch());
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

    private Largest from(long start) {
        long step = step(start);
        if (step == 0) {
            Long value = player.fits(with(start)) ? start : null;
            return new Largest(name, value, start, value == null ? Largest.Limit.MEMORY : Largest.Limit.MODEL, null);
        }
        long least = start % step == 0 ? step : start % step;
        long low; // fits, or is below the least
        long high; // does not
        long guess = guess(start, step, least);
        long stride = step * Math.max(1, guess / step / 64);
        if (fits(guess)) {
            low = guess;
            high = guess + stride;
            while (fits(high)) {
                low = high;
                stride *= 2;
                high = low + stride;
            }
        } else {
            high = guess;
            low = guess - stride;
            while (low >= least && !fits(low)) {
                high = low;
                stride *= 2;
                low = high - stride;
            }
            low = Math.max(low, least - step);
        }
        low = halve(low, high, step, least);
        for (int ahead = 1; ahead <= LOOK_AHEAD + 1; ahead++) {
            if (fits(low + ahead * step)) {
                low += ahead * step;
                ahead = 0;
            }
        }
        boolean model = player.within(with(low + step)).result() == Outcome.Result.IMPOSSIBLE;
        return new Largest(
                name,
                low < least ? null : (Long) low,
                low + step,
                model && low >= least ? Largest.Limit.MODEL : Largest.Limit.MEMORY,
                null);
    }

    private double risk(long value) {
        Double risk = player.predict(with(value)).verdict().probabilityOom();
        return risk == null ? 1 : risk;
    }

    private long halve(long low, long high, long step, long least) {
        long fitting = low;
        long failing = high;
        while (failing - fitting > step) {
            long middle = fitting + (failing - fitting) / step / 2 * step;
            if (middle >= least && fits(middle)) {
                fitting = middle;
            } else {
                failing = middle;
            }
        }
        return fitting;
    }

    private boolean fits(long value) {
        return value <= MOST && player.fits(with(value));
    }

    /** Where the line through two runs meets the room there is, and through ever closer ones as long as it moves. */
    private long guess(long start, long step, long least) {
        long other = Math.max(least, start / 2 / step * step + least % step);
        long near = start;
        long far = other == start ? start + step : other;
        long guess = start;
        for (int line = 0; line < MOST_LINES; line++) {
            Outcome here = player.unbounded(with(near));
            Outcome there = player.unbounded(with(far));
            double slope = (here.allocated() - there.allocated()) / (double) (near - far);
            if (!here.fits() || !there.fits() || slope <= 0) {
                return guess;
            }
            long steps = (long) ((player.room() - here.allocated()) / slope / step);
            guess = Math.max(least, Math.min(near + steps * step, MOST / step * step));
            long moved = Math.abs(guess - near);
            if (moved <= guess / 64) {
                return guess;
            }
            far = near;
            near = guess;
        }
        return guess;
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
