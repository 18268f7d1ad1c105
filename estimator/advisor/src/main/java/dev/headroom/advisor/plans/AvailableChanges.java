package dev.headroom.advisor.plans;

import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Scenario;
import java.util.List;

/** The changes that a model and a card allow. */
final class AvailableChanges {
    private final FreeChanges free;
    private final FreeChangeFilter helpful;
    private final PrecisionChanges precision;
    private final Accumulation passes;
    private final Checkpoints checkpoints;

    AvailableChanges(
            FreeChanges free, PrecisionChanges precision, Accumulation passes, Checkpoints checkpoints, VariantPlayer player) {
        this.free = free;
        this.helpful = new FreeChangeFilter(free, player);
        this.precision = precision;
        this.passes = passes;
        this.checkpoints = checkpoints;
    }

    List<Change> free(Scenario run) {
        return free.of(run);
    }

    List<Change> helpful(List<Variant> ways) {
        return helpful.of(ways);
    }

    /** What helped other ways and can still be done to this one. */
    List<Change> applicable(List<Change> helpful, Variant way) {
        List<String> titles = helpful.stream().map(Change::title).toList();
        return free(way.run()).stream()
                .filter(change -> titles.contains(change.title()))
                .toList();
    }

    List<Change> precisions(Scenario run) {
        return precision.of(run);
    }

    Accumulation passes() {
        return passes;
    }

    Checkpoints checkpoints() {
        return checkpoints;
    }
}
