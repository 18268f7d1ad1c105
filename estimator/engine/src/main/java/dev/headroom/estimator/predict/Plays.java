package dev.headroom.estimator.predict;

import dev.headroom.estimator.cudnn.WorkspaceEnd;
import java.util.List;
import java.util.Optional;

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

    /**
     * How a run would end without cuDNN's workspaces.
     *
     * @param played the run with them
     * @param least whether the least memory for it is asked for
     * @return empty where the run has to be played for that
     */
    Optional<Verdicts.Ending> withoutCudnn(PredictionRequest request, Simulation played, boolean least) {
        if (!played.repeatable()) {
            return Optional.empty();
        }
        Requests asked = Requests.withoutCudnn(played.log());
        RequestPlay play = new RequestPlay(asked, Predictor.settings(request), Predictor.memory(request));
        boolean through = play.finish();
        long allocated = play.mostAllocated();
        long reserved = play.mostReserved();
        if (!through && play.skips()) {
            return Optional.empty(); // what it does then is not known
        }
        Long needed = through && least ? (Long) least(request, asked, allocated, reserved) : null;
        return Optional.of(new Verdicts.Ending(reserved, allocated, through || !least ? needed : Verdicts.TOO_MUCH));
    }

    private static long least(PredictionRequest request, Requests asked, long allocated, long reserved) {
        return new MinimumMemory(
                        asked,
                        Predictor.settings(request.unbounded()),
                        request.device().placement())
                .bytes(allocated, reserved);
    }

    /** Bytes that the allocator must be able to reserve for a run that was played to get through. */
    long least(PredictionRequest request, Simulation played) {
        return played.devices().stream()
                .mapToLong(d -> least(
                        request,
                        Requests.of(d.log()),
                        d.peak().allocated(),
                        d.peak().reserved()))
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
