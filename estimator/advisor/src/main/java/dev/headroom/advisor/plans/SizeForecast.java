package dev.headroom.advisor.plans;

import dev.headroom.advisor.variants.Outcome;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.predict.Requests;
import dev.headroom.model.scenario.Scenario;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The largest size that is likely to get through, from what runs of two sizes asked of the allocator: what runs of
 * other sizes would ask is drawn as lines through that, and played on the device. Rounding, and memory that is lost
 * between blocks, come out of that as in a run; kernels that are chosen by sizes do not.
 */
final class SizeForecast {
    /** The first step down from where all of the room would be used is this share of the size. */
    private static final int FINE = 256;

    /** Sizes that are looked at one by one. */
    private static final int EACH = 256;

    private final VariantPlayer player;
    private final LongFunction<Scenario> with;
    private final long step;
    private final long least;
    private @Nullable LongFunction<Requests> line;

    /** The size of a run that the line was drawn through. */
    private long drawn;

    /** What runs with room for anything asked: the player forgets it while others play, and a line is to be had yet. */
    private final Map<Long, Requests> asked = new ConcurrentHashMap<>();

    /** What the line said of sizes. */
    private final Map<Long, Boolean> said = new ConcurrentHashMap<>();

    /** Whether that says all that a run of another size asks. */
    private boolean whole;

    /**
     * @param with the run of a size
     * @param step between sizes
     * @param least size
     */
    SizeForecast(VariantPlayer player, LongFunction<Scenario> with, long step, long least) {
        this.player = player;
        this.with = with;
        this.step = step;
        this.least = least;
    }

    /** The distance between sizes. */
    long step() {
        return step;
    }

    /** The least size. */
    long least() {
        return least;
    }

    /** The possible size that is so far above another. */
    long above(long from, double distance) {
        long most = LargestSizeSearch.MOST / step * step;
        long steps = (long) (distance / step);
        return Math.max(least, Math.min(from + steps * step, most));
    }

    /**
     * Whether a size may get through, whatever workspaces cuDNN chooses, by the runs that were last looked at; false
     * where they do not say.
     */
    boolean mayFit(long size) {
        LongFunction<Requests> says = line;
        return says != null
                && size <= LargestSizeSearch.MOST
                && said.computeIfAbsent(size, one -> isLikely(one, whole ? says : bare(says)));
    }

    private static LongFunction<Requests> bare(LongFunction<Requests> requests) {
        return size -> requests.apply(size).withoutScratch();
    }

    /** Whether {@link #mayFit} leaves nothing open: no workspaces are chosen by the size. */
    boolean isWhole() {
        return whole;
    }

    /**
     * Whether a run of a size that was played asked what the line says, as nearly as tells it from the next size: sizes
     * of a kernel's scratch do not follow lines.
     */
    boolean isRight(long size) {
        LongFunction<Requests> says = line;
        return says != null
                && requests(size).map(asks -> isNear(says, size, asks)).orElse(false);
    }

    private boolean isNear(LongFunction<Requests> requests, long size, Requests asks) {
        Requests said = requests.apply(size);
        long more = requests.apply(size + step).peak() - said.peak();
        return said.isLike(asks) && Math.abs(said.peak() - asks.peak()) <= more / 2;
    }

    /** Whether there is room for all that a run of a size needs at once, were none lost between blocks. */
    boolean hasRoom(long size) {
        return line != null
                && size < LargestSizeSearch.MOST
                && bare(line).apply(size).peak() <= player.room();
    }

    /**
     * The largest size that gets through, of those beyond another that there is room for; the other one where none of
     * them does, or where they are too many to look at each.
     */
    long lastWithRoom(long from) {
        long end = leastWithoutRoom(from);
        for (long size = end - step; size > from && end - from <= EACH * step; size -= step) {
            if (mayFit(size)) {
                return size;
            }
        }
        return from;
    }

    /** The least size beyond another that there is no room for. */
    long leastWithoutRoom(long from) {
        long fits = from;
        long stride = step;
        while (hasRoom(fits + stride)) {
            fits += stride;
            stride *= 2;
        }
        return Halving.last(fits, fits + stride, step, step, this::hasRoom) + step;
    }

    /**
     * The largest size likely to get through from one that does up to one that does not, by that run and one that the
     * last line was drawn through.
     */
    OptionalLong closer(long fits, long fails) {
        if (line == null || drawn == fits) {
            return OptionalLong.empty();
        }
        return through(fits, drawn)
                .map(asks -> OptionalLong.of(Halving.last(fits, fails, step, step, size -> isLikely(size, asks))))
                .orElse(OptionalLong.empty());
    }

    private Optional<LongFunction<Requests>> through(long near, long far) {
        Optional<Requests> other = requests(far);
        return requests(near).flatMap(asks -> other.flatMap(o -> asks.line(near, o, far)));
    }

    /** What a run of a size asked of the allocator, where it was played lately or by {@link #unbounded}. */
    Optional<Requests> requests(long size) {
        return player.requests(with.apply(size)).or(() -> Optional.ofNullable(asked.get(size)));
    }

    /** A run with room for anything, through which a line can be drawn from then on. */
    Outcome unbounded(long size) {
        Outcome outcome = player.unbounded(with.apply(size));
        player.requests(with.apply(size)).ifPresent(asks -> asked.put(size, asks));
        return outcome;
    }

    /** Empty where two runs do not ask alike, or it is not known what they asked. */
    OptionalLong largest(long near, long far) {
        drawn = near;
        line = through(near, far).orElse(null);
        whole = line != null && !line.apply(near).hasCudnn();
        said.clear();
        return line == null ? OptionalLong.empty() : largest(near, far, line);
    }

    private OptionalLong largest(long near, long far, LongFunction<Requests> requests) {
        double slope = (requests.apply(near).peak() - requests.apply(far).peak()) / (double) (near - far);
        if (slope <= 0) {
            return OptionalLong.empty();
        }
        long fails = filled(near, slope, requests) + step;
        long stride = Math.max(1, fails / step / FINE) * step;
        long fits = fails - step;
        while (fits >= least && !isLikely(fits, requests)) {
            fails = fits;
            fits -= stride;
            stride *= 2;
        }
        fits = Halving.last(Math.max(fits, least - step), fails, step, step, size -> isLikely(size, requests));
        return fits < least ? OptionalLong.empty() : OptionalLong.of(fits);
    }

    /** The largest size whose requests are no more at once than there is room. */
    private long filled(long near, double slope, LongFunction<Requests> requests) {
        long room = player.room();
        LongPredicate isEnough = size -> requests.apply(size).peak() <= room;
        long guess = above(near, (room - requests.apply(near).peak()) / slope);
        long fits = least - step;
        long fails = guess + step;
        long stride = step;
        while (fails < LargestSizeSearch.MOST && isEnough.test(fails)) {
            fits = fails;
            fails += stride;
            stride *= 2;
        }
        long below = fails - step; // mostly it is this one
        boolean found = below == fits || isEnough.test(below);
        return Math.max(least, found ? below : Halving.last(fits, below, step, step, isEnough));
    }

    private boolean isLikely(long size, LongFunction<Requests> requests) {
        return player.areGranted(requests.apply(size), with.apply(size));
    }
}
