package dev.headroom.advisor.explain;

import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.Scenario;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Plays a run with something changed, with room for anything. */
final class Trial {
    private final PredictionRequest request;

    Trial(PredictionRequest request) {
        this.request = request.unbounded();
    }

    PredictionRequest request() {
        return request;
    }

    /** Empty where the model or the version has nothing of the kind to change. */
    Optional<Simulation> play(UnaryOperator<Scenario> change) {
        try {
            return Optional.of(Predictor.simulate(request.with(change.apply(request.scenario()))))
                    .filter(played -> played.oom() == null);
        } catch (UserInputException e) {
            return Optional.empty();
        }
    }

    /** The peak of allocated bytes. */
    Optional<Long> peak(UnaryOperator<Scenario> change) {
        return play(change).map(Simulation::maxAllocated);
    }
}
