package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Catalogue;
import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.checkpoints.CheckpointChoice;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Optional;

/** The changes that a model and a card allow. */
final class AvailableChanges {
    private final Catalogue catalogue;
    private final BestFreeChanges helpful;
    private final MicroBatchSearch passes;
    private final CheckpointOptions checkpoints;

    /**
     * @param planned the run that checkpoints were looked for
     * @param choices of them, none of which needs both more memory and more recomputation than another
     */
    AvailableChanges(Catalogue catalogue, VariantPlayer player, Scenario planned, List<CheckpointChoice> choices) {
        this.catalogue = catalogue;
        this.helpful = new BestFreeChanges(catalogue, player);
        this.passes = new MicroBatchSearch(catalogue, player);
        this.checkpoints = new CheckpointOptions(catalogue, player, planned, choices);
    }

    /** The free changes that help one of some variants. */
    List<Change> helpful(List<Variant> variants) {
        return helpful.of(variants);
    }

    /** What helped other variants and can still be done to this one. */
    List<Change> applicable(List<Change> helpful, Variant variant) {
        List<String> titles = helpful.stream().map(Change::title).toList();
        return catalogue.free(variant.run()).stream()
                .filter(change -> titles.contains(change.title()))
                .toList();
    }

    /** Fewer bits, for operators first. */
    List<Change> precisions(Scenario run) {
        return catalogue.precisions(run);
    }

    /** Less that compiled graphs keep, the most first. */
    List<Change> budgets(Scenario run) {
        return catalogue.budgets(run);
    }

    /** Other optimizers, the nearest to the run's first. */
    List<Change> optimizers(Scenario run) {
        return catalogue.optimizers(run);
    }

    /** Other ways to fine-tune a language model. */
    List<Change> tunings(Scenario run) {
        return catalogue.tunings(run);
    }

    /** The library's own checkpoints, for runs that the planner has no choices for. */
    Optional<Change> librarySwitch(Scenario run) {
        return catalogue.librarySwitch(run);
    }

    MicroBatchSearch passes() {
        return passes;
    }

    CheckpointOptions checkpoints() {
        return checkpoints;
    }
}
