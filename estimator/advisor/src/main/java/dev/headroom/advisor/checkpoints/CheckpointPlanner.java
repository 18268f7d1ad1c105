package dev.headroom.advisor.checkpoints;

import dev.headroom.advisor.variants.Processors;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Optional;

/**
 * Finds out what to recompute. A run's own checkpoints are left out of account; every choice was played, with room for
 * anything.
 */
public final class CheckpointPlanner {
    private CheckpointPlanner() {}

    /**
     * Choices between memory and recomputation.
     *
     * @throws UserInputException for impossible input, with a message for the user
     */
    public static CheckpointPlans plan(PredictionRequest request) {
        return Processors.all(processors -> plan(rehearsal(request, processors)));
    }

    private static CheckpointPlans plan(Rehearsal rehearsal) {
        if (!rehearsal.hasBackward()) {
            List<CheckpointChoice> only = rehearsal.choices();
            return new CheckpointPlans(only, only, only.get(0).peakAllocated(), null, rehearsal.nothingTried(), true);
        }
        return new CheckpointSearch(rehearsal).plans();
    }

    /**
     * The choices of a variant, none of which needs both more memory and more recomputation than another.
     *
     * @param player that may have played some of what is tried already
     * @throws UserInputException for impossible input, with a message for the user
     */
    public static List<CheckpointChoice> choices(VariantPlayer player, Scenario run) {
        Rehearsal rehearsal = new Rehearsal(player, run);
        return rehearsal.hasBackward() ? new CheckpointSearch(rehearsal).choices() : rehearsal.choices();
    }

    /**
     * The choice with the least recomputation of those whose peak of allocated memory is within a budget.
     *
     * @param budgetBytes of allocated memory
     * @return empty when none was found
     * @throws UserInputException for impossible input, with a message for the user
     */
    public static Optional<CheckpointChoice> within(PredictionRequest request, long budgetBytes) {
        Rehearsal rehearsal = rehearsal(request, Processors.HERE);
        if (rehearsal.hasBackward() && rehearsal.storeAll().maxAllocated() > budgetBytes) {
            new CheckpointSearch(rehearsal).search(budgetBytes);
        }
        return Pareto.front(rehearsal.choices()).stream()
                .filter(c -> c.peakAllocated() <= budgetBytes)
                .findFirst();
    }

    /**
     * What the checkpoints that a run asks for itself give, to compare with.
     *
     * @throws UserInputException for impossible input, with a message for the user
     */
    public static CheckpointChoice play(PredictionRequest request) {
        Scenario run = request.scenario();
        Candidate own = new Candidate(
                "as asked",
                run.checkpointing().segments(),
                run.checkpointing().modules(),
                run.checkpointing().reentrant());
        return rehearsal(request, Processors.HERE)
                .play(own)
                .orElseThrow(() -> new UserInputException(
                        "`reentrant=true`: parameters in the checkpoints get no gradients; take `reentrant=false`, or"
                                + " `input_grad`"));
    }

    private static Rehearsal rehearsal(PredictionRequest request, Processors processors) {
        return new Rehearsal(new VariantPlayer(request, processors), request.scenario());
    }
}
