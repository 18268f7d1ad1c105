package dev.headroom.advisor.plans;

import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.advisor.checkpoints.CheckpointChoice;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Activation checkpointing with sets of modules that are worth their price. */
final class Checkpoints {
    static final String KIND = "checkpointing";

    /** Modules that a title names. */
    private static final int NAMED = 3;

    private final VariantPlayer player;

    /** From the cheapest to the one that keeps least. */
    private final List<Change> choices;

    /** @param choices none of which needs both more memory and more recomputation than another */
    Checkpoints(Graph graph, VariantPlayer player, List<CheckpointChoice> choices) {
        this.player = player;
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
    Optional<Change> cheapest(Scenario run) {
        return strongest().filter(c -> player.mayFit(c.of(run))).flatMap(unused -> choices.stream()
                .filter(c -> player.mayFit(c.of(run)))
                .findFirst());
    }

    private static Change change(CheckpointChoice choice, List<String> modules, List<String> code) {
        return new Change(
                KIND,
                title(choice.segments(), modules),
                Intrusion.WORK,
                new Cost(1, choice.recomputedFlops(), choice.recomputedShare()),
                code,
                List.of(),
                r -> r.withCheckpointing(new Checkpointing(choice.segments(), modules, choice.reentrant())));
    }

    private static String title(int segments, List<String> modules) {
        if (segments > 0) {
            return "checkpointing in " + segments + " segments";
        }
        int named = modules.size() > NAMED + 1 ? NAMED : modules.size();
        return "checkpointing " + String.join(", ", modules.subList(0, named))
                + (named < modules.size() ? " and " + (modules.size() - named) + " more" : "");
    }
}
