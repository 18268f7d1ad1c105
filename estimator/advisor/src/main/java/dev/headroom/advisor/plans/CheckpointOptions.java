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
import org.jspecify.annotations.Nullable;

/** Activation checkpointing with sets of modules that are worth their price. */
final class CheckpointOptions {
    private final VariantPlayer player;

    /** The batch that the choices were played with; {@code null} for a run that has none. */
    private final @Nullable Long batch;

    /** From the cheapest to the one that keeps least. */
    private final List<Change> choices;

    /** What the run that they were played for has allocated at most, under each of them. */
    private final long[] peaks;

    /**
     * @param planned the run that the choices were played for
     * @param choices none of which needs both more memory and more recomputation than another
     */
    CheckpointOptions(Catalogue catalogue, VariantPlayer player, Scenario planned, List<CheckpointChoice> choices) {
        this.player = player;
        this.batch = planned.sizes().batch();
        List<CheckpointChoice> some = choices.stream()
                .filter(c -> !c.storesAll())
                .sorted(Comparator.comparingDouble(CheckpointChoice::recomputedShare))
                .toList();
        this.choices = some.stream()
                .map(c -> catalogue.checkpoints(
                        new Checkpointing(c.segments(), c.modules(), c.reentrant()),
                        new Cost(1, c.recomputedFlops(), c.recomputedShare())))
                .toList();
        this.peaks = some.stream().mapToLong(CheckpointChoice::peakAllocated).toArray();
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
        int last = choices.size() - 1;
        return fits(run, last) ? Optional.of(cheapest(run, last, likely(run))) : Optional.empty();
    }

    /** The cheapest under which a run gets through, if one does that is cheaper than another. */
    Optional<Change> cheaper(Scenario run, Change than) {
        int before = choices.indexOf(than) - 1;
        return fits(run, before) ? Optional.of(cheapest(run, before, before - 1)) : Optional.empty();
    }

    private boolean fits(Scenario run, int choice) {
        return choice >= 0 && player.mayFit(choices.get(choice).of(run));
    }

    /**
     * The cheapest of the choices up to one that fits.
     *
     * @param likely the one to try first; mostly it fits and the one before does not, or it just fails
     */
    private Change cheapest(Scenario run, int last, int likely) {
        int fails = -1;
        int fits = last;
        for (int looked = 0; fits - fails > 1; looked++) {
            if (looked == 0 && likely > 0 && likely < fits) {
                // Both are asked about at once: mostly it takes both to know.
                player.processors().map(List.of(likely, likely - 1), choice -> fits(run, choice));
            }
            int next = fits == likely ? fits - 1 : fails + 1;
            int tried = looked == 0 ? Math.min(likely, fits - 1) : looked == 1 ? next : (fits + fails) / 2;
            if (fits(run, tried)) {
                fits = tried;
            } else {
                fails = tried;
            }
        }
        return choices.get(fits);
    }

    /**
     * The cheapest that there should be room for: what the choices keep more than the strongest grows with the batch,
     * and what a run has alive under that one is known.
     */
    private int likely(Scenario run) {
        int last = peaks.length - 1;
        long least = player.settledPeak(choices.get(last).of(run));
        double share = batch == null ? 1 : run.sizes().givenBatch() / (double) batch;
        int first = 0;
        while (first < last && least + (peaks[first] - peaks[last]) * share > player.room()) {
            first++;
        }
        return first;
    }
}
