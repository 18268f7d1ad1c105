package dev.headroom.estimator.timeline;

import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Ranks;
import dev.headroom.estimator.predict.Simulation;

/**
 * A prediction and the run behind it.
 *
 * @param request the question
 */
public record PlayedRun(PredictionRequest request, Prediction prediction, Timeline timeline) {
    /**
     * Plays the run on the device of the request, as {@link Predictor#predict} does.
     *
     * @throws dev.headroom.model.error.UserInputException for impossible input, with a message for the user
     */
    public static PlayedRun of(PredictionRequest request) {
        if (Ranks.areAsked(request)) {
            Ranks ranks = Ranks.of(request);
            PlayedRun worst = of(ranks.ofWorst(request), ranks.run());
            return worst.with(ranks.tell(worst.prediction()));
        }
        return of(request, Predictor.simulate(request));
    }

    private static PlayedRun of(PredictionRequest request, Simulation run) {
        Timeline timeline = new Timeline(run, () -> Predictor.memory(request));
        return new PlayedRun(request, Predictor.read(request, run), timeline);
    }

    /** The same run under a prediction with other remarks. */
    public PlayedRun with(Prediction other) {
        return new PlayedRun(request, other, timeline);
    }
}
