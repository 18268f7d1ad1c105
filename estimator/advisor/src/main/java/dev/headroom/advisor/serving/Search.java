package dev.headroom.advisor.serving;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * The largest size of a run that fits. A guess that does not hold is made better by {@link GrowingRun}, which costs
 * little; what is answered was played, next to a size that was played and does not fit.
 */
final class Search {
    /** Below it, to try every size costs no more than to guess. */
    private static final long FEW = 4;

    private final LongFunction<PredictionRequest> sized;
    private final long largest;
    private final boolean straight;
    private final Map<Long, Run> played = new ConcurrentHashMap<>();

    /**
     * @param sized a run of a size, from 1 on
     * @param largest size that is asked for
     * @param straight whether all that it takes grows in proportion
     */
    Search(LongFunction<PredictionRequest> sized, long largest, boolean straight) {
        this.sized = sized;
        this.largest = largest;
        this.straight = straight;
    }

    /** The run of a size, on the device. */
    Run at(long size) {
        return played.computeIfAbsent(size, n -> Run.of(Predictor.simulate(sized.apply(n))));
    }

    /**
     * The largest size that fits; 0 for none.
     *
     * @param guess of it
     */
    long most(long guess) {
        long first = Math.max(1, Math.min(guess, largest));
        if (first == largest && at(first).fits()) {
            return first;
        }
        long likely = first < FEW ? first : better(first);
        LongStream.of(likely, Math.min(likely + 1, largest)).parallel().forEach(this::at);
        return most(size -> at(size).fits(), likely, largest);
    }

    /** A better guess, from runs of about the size of the first one. */
    private long better(long guess) {
        long half = guess / 2;
        long[] sizes = straight ? new long[] {half, guess} : new long[] {half, guess - guess / 4, guess};
        List<Simulation> open = LongStream.of(sizes)
                .parallel()
                .mapToObj(size -> Predictor.simulate(sized.apply(size).unbounded()))
                .toList();
        PredictionRequest on = sized.apply(guess);
        return GrowingRun.of(sizes, open)
                .map(run -> most(size -> run.fits(size, Predictor.memory(on)), guess, largest))
                .orElse(guess);
    }

    /** The largest number that fits, those below which do as well; steps from the guess grow, and halve after that. */
    private static long most(LongPredicate fits, long guess, long largest) {
        long at = Math.max(1, Math.min(guess, largest));
        long fitting = 0;
        long failing = largest + 1;
        long stride = 1;
        while (failing - fitting > 1) {
            if (fits.test(at)) {
                fitting = at;
                at = failing > largest ? Math.min(largest, at + stride) : between(fitting, failing);
            } else {
                failing = at;
                at = fitting == 0 ? Math.max(1, at - stride) : between(fitting, failing);
            }
            stride *= 2;
        }
        return fitting;
    }

    private static long between(long fitting, long failing) {
        return fitting + Math.max(1, (failing - fitting) / 2);
    }
}
