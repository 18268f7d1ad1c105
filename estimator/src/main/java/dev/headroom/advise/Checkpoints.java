package dev.headroom.advise;

import dev.headroom.graph.Graph;
import dev.headroom.planning.CheckpointChoice;
import dev.headroom.training.TrainingRun;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Activation checkpointing with sets of modules that are worth their price. */
final class Checkpoints {
    private final Trials trials;

    /** From the cheapest to the one that keeps least. */
    private final List<Change> choices;

    /** @param choices none of which needs both more memory and more recomputation than another */
    Checkpoints(Graph graph, Trials trials, List<CheckpointChoice> choices) {
        this.trials = trials;
        ModuleGroups groups = new ModuleGroups(graph);
        CheckpointCode code = new CheckpointCode(new ModelFacts(graph), groups);
        this.choices = choices.stream()
                .filter(c -> !c.storesAll())
                .sorted(Comparator.comparingDouble(CheckpointChoice::recomputedShare))
                .map(c -> change(c, groups.patterns(c.modules()), code.of(c)))
                .toList();
    }

    /** The cheapest, the one that keeps least, and one between. */
    List<Change> some() {
        int last = choices.size() - 1;
        return choices.size() <= 3 ? choices : List.of(choices.get(0), choices.get(last / 2), choices.get(last));
    }

    /** The one that keeps least. */
    Optional<Change> strongest() {
        return choices.isEmpty() ? Optional.empty() : Optional.of(choices.get(choices.size() - 1));
    }

    /** The cheapest under which a run gets through, if there is one. */
    Optional<Change> cheapest(TrainingRun run) {
        int low = 0;
        int high = choices.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (trials.fits(choices.get(middle).of(run))) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return choices.subList(low, choices.size()).stream()
                .filter(c -> trials.fits(c.of(run)))
                .findFirst();
    }

    private static Change change(CheckpointChoice choice, List<String> modules, List<String> code) {
        return new Change(
                "checkpointing",
                "checkpointing: " + choice.name(),
                Intrusion.WORK,
                new Cost(1, choice.recomputedFlops(), choice.recomputedShare()),
                code,
                List.of(),
                r -> {
                    r.checkpoint = choice.segments();
                    r.checkpointModules = modules;
                    r.reentrant = choice.reentrant();
                });
    }
}
