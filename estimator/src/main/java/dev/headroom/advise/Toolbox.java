package dev.headroom.advise;

import dev.headroom.training.TrainingRun;
import java.util.List;

/** The changes that a model and a card allow. */
final class Toolbox {
    private final FreeChanges free;
    private final Helpful helpful;
    private final PrecisionChanges precision;
    private final Accumulation passes;
    private final Checkpoints checkpoints;

    Toolbox(FreeChanges free, PrecisionChanges precision, Accumulation passes, Checkpoints checkpoints, Trials trials) {
        this.free = free;
        this.helpful = new Helpful(free, trials);
        this.precision = precision;
        this.passes = passes;
        this.checkpoints = checkpoints;
    }

    List<Change> free(TrainingRun run) {
        return free.of(run);
    }

    List<Change> helpful(List<Way> ways) {
        return helpful.of(ways);
    }

    /** What helped other ways and can still be done to this one. */
    List<Change> applicable(List<Change> helpful, Way way) {
        List<String> titles = helpful.stream().map(Change::title).toList();
        return free(way.run()).stream()
                .filter(change -> titles.contains(change.title()))
                .toList();
    }

    List<Change> precisions(TrainingRun run) {
        return precision.of(run);
    }

    Accumulation passes() {
        return passes;
    }

    Checkpoints checkpoints() {
        return checkpoints;
    }
}
