package dev.headroom.validation.runs;

import dev.headroom.app.words.Door;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Measured runs beside their predictions.
 *
 * @param outcomes in the order of the runs
 * @param skipped runs that could not be compared
 * @param seconds that all predictions took together, on all processors
 */
public record Validation(List<Outcome> outcomes, List<Skipped> skipped, double seconds) {
    private record Result(List<Outcome> outcomes, @Nullable Skipped skipped) {}

    /**
     * Predicts all runs, on all processors. What one run lacks does not stop the others.
     *
     * @param progress is told how many are done, from any thread
     */
    public static Validation of(List<MeasuredRuns> runs, IntConsumer progress) {
        long start = System.nanoTime();
        AtomicInteger done = new AtomicInteger();
        List<Result> results = runs.parallelStream()
                .map(run -> {
                    Result result = compare(run);
                    progress.accept(done.incrementAndGet());
                    return result;
                })
                .toList();
        List<Outcome> outcomes = new ArrayList<>();
        List<Skipped> skipped = new ArrayList<>();
        for (Result result : results) {
            outcomes.addAll(result.outcomes);
            if (result.skipped != null) {
                skipped.add(result.skipped);
            }
        }
        return new Validation(outcomes, skipped, (System.nanoTime() - start) / 1e9);
    }

    private static Result compare(MeasuredRuns run) {
        try {
            return new Result(run.compare(), null);
        } catch (NoCounterpart e) {
            return skipped(run, Skipped.Cause.NO_COUNTERPART, String.valueOf(e.getMessage()));
        } catch (UserInputException e) {
            return skipped(run, Skipped.Cause.UNREADABLE, String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            return skipped(
                    run,
                    Skipped.Cause.UNREADABLE,
                    "it is larger than Java's memory; give Java more with HEADROOM_JAVA_OPTS=-Xmx16g");
        } catch (RuntimeException | StackOverflowError e) {
            String place = e.getStackTrace().length == 0 ? "" : " at " + e.getStackTrace()[0];
            return skipped(run, Skipped.Cause.DEFECT, "a defect of Headroom: " + e + place);
        }
    }

    private static Result skipped(MeasuredRuns run, Skipped.Cause cause, String reason) {
        return new Result(
                List.of(),
                new Skipped(run.source(), run.name(), cause, Door.here().tell(reason)));
    }
}
