package dev.headroom.estimator.predict;

import dev.headroom.estimator.cudnn.WorkspaceEnd;
import java.util.List;

/** The runs that an answer is read off: played when they are asked for. */
class Plays {
    /**
     * The run of a request.
     *
     * @throws dev.headroom.model.error.UserInputException for impossible input
     */
    Simulation run(PredictionRequest request) {
        return Predictor.simulate(request);
    }

    /** The run of a request with room for anything. */
    Simulation unbounded(PredictionRequest request) {
        return Predictor.simulate(request.unbounded());
    }

    /** The run of a request whose convolutions get other workspaces. */
    Simulation run(PredictionRequest request, WorkspaceEnd end) {
        return Predictor.simulate(request, end);
    }

    /** Bytes that the allocator must be able to reserve for a run that was played to get through. */
    long least(PredictionRequest request, Simulation played) {
        return played.devices().stream()
                .mapToLong(d -> new MinimumMemory(
                                d.log(),
                                Predictor.settings(request.unbounded()),
                                request.device().placement())
                        .bytes(d.peak().allocated(), d.peak().reserved()))
                .max()
                .orElse(0);
    }

    /** What layers hold, of a run that was played. */
    List<LayerShare> layers(Simulation run) {
        return LayerTable.of(
                run,
                run.log().aliveAfter(run.history().firstForwardEnd()),
                run.log().aliveAfter(run.peak().events()));
    }
}
