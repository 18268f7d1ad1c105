package dev.headroom.advisor.plans;

import dev.headroom.advisor.variants.Processors;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * The last size that gets through, by somebody who says so of each. The search goes outwards from a guess in growing
 * steps until it has a size that fits and a larger one that does not, and halves what lies between. As rounding and the
 * kernels that are chosen make memory go down now and then, a few sizes beyond the first that fails are tried, too, and
 * where there would be room for more, were none lost between blocks, what lies up to there is halved once again.
 *
 * @param fits whether a size gets through
 * @param forecast of runs of other sizes
 * @param processors that look at several sizes at once
 * @param sure whether sizes beyond the first that fails are asked about even where the forecast, which was right so
 *     far, leaves no room for them
 */
record LastSize(LongPredicate fits, SizeForecast forecast, Processors processors, boolean sure) {
    /** Sizes beyond the first failure that have to fail as well. */
    static final int LOOK_AHEAD = 3;

    /** The same where only those are played that requests of runs of other sizes leave room for. */
    private static final int LOOK_FURTHER = 7;

    /** The first step from a size that requests tell is this share of it. */
    private static final int CLOSE = 512;

    /** The same for a size that nothing but two peaks tell. */
    private static final int VAGUE = 64;

    /**
     * The last one; below the least when none gets through.
     *
     * @param close whether the guess is most likely right
     */
    long from(long guess, boolean close) {
        long low = nextTo(guess, close);
        boolean told = !sure && close && Math.abs(low - guess) <= step();
        LongPredicate asked = told ? forecast::mayFit : size -> true;
        low = beyond(low, told ? LOOK_FURTHER : LOOK_AHEAD, asked);
        if (forecast.hasRoom(low + (LOOK_FURTHER + 2) * step())) {
            // Between blocks memory is lost, now more and now less.
            low = beyond(between(low, forecast.leastWithoutRoom(low)), LOOK_AHEAD, asked);
        }
        return low;
    }

    private long step() {
        return forecast.step();
    }

    private long least() {
        return forecast.least();
    }

    private long nextTo(long guess, boolean close) {
        long stride = step() * Math.max(1, guess / step() / (close ? CLOSE : VAGUE));
        if (close) {
            // Likely the first fits and the second does not: both are asked about at once.
            processors.map(List.of(guess, guess + stride), fits::test);
        }
        long low; // fits, or is below the least
        long high; // does not
        if (fits.test(guess)) {
            low = guess;
            high = guess + stride;
            while (fits.test(high)) {
                low = high;
                stride *= 2;
                high = low + stride;
            }
        } else {
            high = guess;
            low = guess - stride;
            while (low >= least() && !fits.test(low)) {
                high = low;
                stride *= 2;
                low = high - stride;
            }
            low = Math.max(low, least() - step());
        }
        return halve(low, high);
    }

    /**
     * The largest of sizes that get through in a row, with gaps. Rows can be long, as where odd batches lose more
     * between blocks than even ones: steps grow until no size gets through near one, and what lies before it
     * is halved.
     *
     * @param further so many sizes beyond the first that fails are looked at, at first
     * @param asked sizes that are asked about; the first is
     */
    private long beyond(long from, int further, LongPredicate asked) {
        long low = from;
        long high = from;
        OptionalLong next = look(from, further, asked);
        for (long stride = step(); next.isPresent(); stride *= 2) {
            low = next.getAsLong();
            high = low + stride;
            next = look(high, LOOK_AHEAD, asked);
        }
        low = Halving.last(
                low, high, step(), step(), size -> look(size, LOOK_AHEAD, asked).isPresent());
        // No size gets through after the next one.
        return fits.test(low + step()) ? low + step() : low;
    }

    private OptionalLong look(long low, int further, LongPredicate asked) {
        long first = low + step();
        List<Long> sizes = LongStream.rangeClosed(0, further)
                .map(steps -> first + steps * step())
                .filter(size -> size == first || asked.test(size))
                .boxed()
                .toList();
        return processors.first(sizes, fits::test).map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    private long halve(long low, long high) {
        return Halving.last(low, high, step(), step(), size -> size >= least() && fits.test(size));
    }

    /**
     * As {@link #halve}, but that the first size that gets through says how far it is likely to go on: that size and
     * the next are played before the rest is halved.
     */
    private long between(long low, long high) {
        if (high - low <= step()) {
            return low;
        }
        long middle = Halving.middle(low, high, step());
        if (!fits.test(middle)) {
            return between(low, middle);
        }
        OptionalLong closer = forecast.closer(middle, high);
        if (closer.isEmpty()) {
            return halve(middle, high);
        }
        long likely = closer.getAsLong();
        if (!fits.test(likely)) {
            return halve(middle, likely);
        }
        long next = likely + step();
        return next < high && fits.test(next) ? halve(next, high) : likely;
    }
}
