package dev.headroom.advise;

import dev.headroom.training.TrainingRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Changes that may be worth it, and the run that they make.
 *
 * @param changes in the order in which they were made
 */
record Way(List<Change> changes, TrainingRun run) {
    /** The least intrusive first, then by recomputation, passes and the number of changes. */
    static final Comparator<Way> RANK = Comparator.comparing(Way::intrusion)
            .thenComparingDouble(w -> w.cost().recomputedShare())
            .thenComparingInt(w -> w.cost().passes())
            .thenComparingInt(w -> w.changes().size());

    static Way of(TrainingRun run) {
        return new Way(List.of(), run);
    }

    Way with(Change change) {
        List<Change> all = new ArrayList<>(changes);
        all.add(change);
        return new Way(List.copyOf(all), change.of(run));
    }

    Way with(List<Change> more) {
        Way way = this;
        for (Change change : more) {
            way = way.with(change);
        }
        return way;
    }

    /** The changes but one, made to the run as it was asked for. */
    Way without(Change change, TrainingRun asked) {
        return of(asked).with(changes.stream().filter(c -> c != change).toList());
    }

    /**
     * Without the free changes that are not needed.
     *
     * @param asked the run as it was asked for
     * @param fits whether a run gets through
     */
    Way minimal(TrainingRun asked, Predicate<TrainingRun> fits) {
        Way least = this;
        for (Change change : changes) {
            Way without = least.without(change, asked);
            if (change.intrusion() == Intrusion.NONE && fits.test(without.run())) {
                least = without;
            }
        }
        return least;
    }

    Intrusion intrusion() {
        return changes.stream().map(Change::intrusion).max(Enum::compareTo).orElse(Intrusion.NONE);
    }

    Cost cost() {
        return changes.stream().map(Change::cost).reduce(Cost.NONE, Cost::and);
    }

    Set<String> kinds() {
        return changes.stream().map(Change::kind).collect(Collectors.toSet());
    }

    /** The changes in the order in which a reader wants them: the least intrusive first. */
    List<Change> ordered() {
        return changes.stream().sorted(Comparator.comparing(Change::intrusion)).toList();
    }
}
