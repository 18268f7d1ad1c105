package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Catalogue;
import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.change.Cost;
import dev.headroom.advisor.checkpoints.CheckpointChoice;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Checkpointing;
import dev.headroom.model.scenario.Scenario;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Activation checkpointing with sets of modules that are worth their price. */
final class CheckpointOptions {
    private final VariantPlayer player;

    /** From the cheapest to the one that keeps least. */
    private final List<Change> choices;

    /** @param choices none of which needs both more memory and more recomputation than another */
    CheckpointOptions(Catalogue catalogue, VariantPlayer player, List<CheckpointChoice> choices) {
        this.player = player;
        this.choices = choices.stream()
                .filter(c -> !c.storesAll())
                .sorted(Comparator.comparingDouble(CheckpointChoice::recomputedShare))
                .map(c -> catalogue.checkpoints(
                        new Checkpointing(c.segments(), c.modules(), c.reentrant()),
                        new Cost(1, c.recomputedFlops(), c.recomputedShare())))
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

    /** The cheapest under which a run gets through, if there is one: of two, the dearer needs less memory. */
    Optional<Change> cheapest(Scenario run) {
        if (strongest().filter(c -> player.mayFit(c.of(run))).isEmpty()) {
            return Optional.empty();
        }
        int fails = -1;
        int fits = choices.size() - 1;
        while (fits - fails > 1) {
            int middle = (fits + fails) / 2;
            if (player.mayFit(choices.get(middle).of(run))) {
                fits = middle;
            } else {
                fails = middle;
            }
        }
        return Optional.of(choices.get(fits));
    }
}
