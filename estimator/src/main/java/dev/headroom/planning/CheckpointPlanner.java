package dev.headroom.planning;

import dev.headroom.predict.PredictionRequest;
import dev.headroom.training.TorchVersion;
import dev.headroom.training.TrainingRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds out what to recompute. */
public final class CheckpointPlanner {
    /** Budgets between the leanest plan and store all that a plan is made for. */
    private static final int BUDGETS = 10;

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
        Boolean reentrant = reentrant(request.run());
        List<CheckpointChoice> baselines = new Baselines(rehearsal, stages).choices(reentrant);
        PassLog log = new PassLog(rehearsal.storeAll(), stages);
        StageCosts costs = new Survey(rehearsal, stages).costs(log, reentrant);
        ChainProgram program = new ChainProgram(costs);
        List<CheckpointChoice> all = new ArrayList<>(baselines);
        long before = log.forwardStart[0];
        long high = program.evaluate(List.of()).peak();
        Schedule leanest = program.leanest();
        System.err.println(
                "A0 " + before + " store all model " + (high + before) + " leanest " + (leanest.peak() + before));
        for (int k = 0; k <= BUDGETS; k++) {
            long budget = leanest.peak() + (high - leanest.peak()) * k / BUDGETS;
            Schedule s = program.cheapest(budget);
            rehearsal
                    .play(new Candidate("planned", 0, stages.names(s.pieces()), reentrant))
                    .ifPresent(c -> {
                        all.add(c);
                        System.err.printf(
                                "  model %.1f sim %.1f again %d sim %d  %s%n",
                                (s.peak() + before) / 1048576.0,
                                c.peakAllocated() / 1048576.0,
                                s.again() / 1000000,
                                c.recomputedFlops() / 1000000,
                                c.modules());
                    });
        }
        return new CheckpointPlans(
                Pareto.front(all),
                baselines,
                log.necessary(),
                "store all, √n segments and every block",
                program.exact());
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
