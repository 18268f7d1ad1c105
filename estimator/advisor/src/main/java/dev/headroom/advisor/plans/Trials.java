package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.Scenario;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Plays variants of a run, each once: on the device of the question, and with room for anything. */
final class Trials {
    /**
     * How a variant went.
     *
     * @param allocated peak in bytes, of a run that got through
     * @param reserved peak in bytes, of a run that got through
     */
    record Outcome(Result result, long allocated, long reserved) {
        boolean fits() {
            return result == Result.FITS;
        }
    }

    enum Result {
        FITS,
        OUT_OF_MEMORY,
        /** PyTorch, or the model, refuses it. */
        IMPOSSIBLE
    }

    /** Passes and steps after which memory goes round in a circle: nothing is first any more in the third. */
    private static final int SETTLED = 3;

    private final PredictionRequest asked;
    private final LongConsumer progress;
    private final AtomicLong played = new AtomicLong();
    private final Map<Scenario, Outcome> seen = new ConcurrentHashMap<>();

    /** @param progress told after every run how many were played, from any thread */
    Trials(PredictionRequest asked, LongConsumer progress) {
        this.asked = asked;
        this.progress = progress;
    }

    /** Within the device's memory. */
    Outcome within(Scenario run) {
        return outcome(run);
    }

    /** Within the device's memory, cut to the passes and steps in which memory settles: quick, and nearly as sure. */
    boolean mayFit(Scenario run) {
        Scenario few = run.with(ACCUMULATE, Math.min(run.loop().accumulate(), SETTLED))
                .with(STEPS, Math.min(run.loop().steps(), SETTLED));
        return fits(few);
    }

    /** With room for anything, on the same card. */
    Outcome unbounded(Scenario run) {
        return outcome(PredictionRequest.unbounded(run));
    }

    /** Within the device's memory, to the end. */
    boolean fits(Scenario run) {
        return within(run).fits();
    }

    /**
     * The whole prediction on the device.
     *
     * @throws UserInputException when the run cannot be
     */
    Prediction predict(Scenario run) {
        Prediction prediction = Predictor.predict(asked.with(run));
        progress.accept(played.incrementAndGet());
        return prediction;
    }

    /** Bytes that the allocator can have. */
    long room() {
        return Predictor.room(asked);
    }

    private Outcome outcome(Scenario run) {
        Outcome known = seen.get(run);
        if (known == null) {
            known = play(asked.with(run));
            seen.put(run, known);
            progress.accept(played.incrementAndGet());
        }
        return known;
    }

    private static Outcome play(PredictionRequest request) {
        try {
            Simulation played = Predictor.simulate(request);
            Result result = played.oom() == null ? Result.FITS : Result.OUT_OF_MEMORY;
            return new Outcome(result, played.maxAllocated(), played.maxReserved());
        } catch (UserInputException e) {
            return new Outcome(Result.IMPOSSIBLE, 0, 0);
        }
    }
}
