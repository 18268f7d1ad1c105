package dev.headroom.planning;

import dev.headroom.predict.PredictionRequest;
import dev.headroom.training.TorchVersion;
import dev.headroom.training.TrainingRun;
import java.util.List;
import java.util.Optional;

/** Finds out what to recompute. */
public final class CheckpointPlanner {
    private CheckpointPlanner() {}

    /**
     * Choices between memory and recomputation for a run, whose own checkpoints are left out of account. Every choice was
     * played, with room for anything.
     *
     * @throws dev.headroom.graph.GraphException for impossible input, with a message for the user
     */
    public static CheckpointPlans plan(PredictionRequest request) {
        Rehearsal rehearsal = new Rehearsal(request);
        Stages stages = Stages.of(rehearsal.storeAll().loop().plan().graph());
        List<CheckpointChoice> baselines = new Baselines(rehearsal, stages).choices(reentrant(request.run()));
        return new CheckpointPlans(
                Pareto.front(baselines), baselines, 0, "store all, √n segments and every block", false);
    }

    /**
     * The choice with the least recomputation of those whose peak of allocated memory is within a budget.
     *
     * @param budgetBytes of allocated memory
     * @return empty when none was found
     */
    public static Optional<CheckpointChoice> within(PredictionRequest request, long budgetBytes) {
        return plan(request).pareto().stream()
                .filter(c -> c.peakAllocated() <= budgetBytes)
                .findFirst();
    }

    /** What the run says; else not re-entrant, which came with 1.11 (torch/utils/checkpoint.py). */
    static Boolean reentrant(TrainingRun run) {
        if (run.reentrant != null) {
            return run.reentrant;
        }
        return !TorchVersion.of(run.torch).since(1, 11);
    }
}
