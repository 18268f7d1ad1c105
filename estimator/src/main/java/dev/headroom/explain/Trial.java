package dev.headroom.explain;

import dev.headroom.graph.GraphException;
import dev.headroom.predict.PredictionRequest;
import dev.headroom.predict.Predictor;
import dev.headroom.predict.Simulation;
import dev.headroom.training.TrainingRun;
import java.util.Optional;
import java.util.function.Consumer;

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
    Optional<Simulation> play(Consumer<TrainingRun> change) {
        TrainingRun run = request.run().copy();
        change.accept(run);
        try {
            return Optional.of(Predictor.simulate(request.with(run))).filter(played -> played.oom() == null);
        } catch (GraphException e) {
            return Optional.empty();
        }
    }

    /** The peak of allocated bytes. */
    Optional<Long> peak(Consumer<TrainingRun> change) {
        return play(change).map(Simulation::maxAllocated);
    }
}
