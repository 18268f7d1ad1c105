package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.change.Cost;
import dev.headroom.advisor.change.Intrusion;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Scenario;
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
record Variant(List<Change> changes, Scenario run) {
    /** The least intrusive first, then by recomputation, passes and the number of changes. */
    static final Comparator<Variant> RANK = Comparator.comparing(Variant::intrusion)
            .thenComparingDouble(v -> v.cost().recomputedShare())
            .thenComparingInt(v -> v.cost().passes())
            .thenComparingInt(v -> v.changes().size());

    static Variant of(Scenario run) {
        return new Variant(List.of(), run);
    }

    Variant with(Change change) {
        List<Change> all = new ArrayList<>(changes);
        all.add(change);
        return new Variant(List.copyOf(all), change.of(run));
    }

    Variant with(List<Change> more) {
        Variant variant = this;
        for (Change change : more) {
            variant = variant.with(change);
        }
        return variant;
    }

    /** The changes but one, made to the run as it was asked for. */
    @SuppressWarnings("ReferenceEquality") // one of several changes that may look alike
    Variant without(Change change, Scenario asked) {
        return of(asked).with(changes.stream().filter(c -> c != change).toList());
    }

    /**
     * Without the free changes that are not needed.
     *
     * @param asked the run as it was asked for
     * @param fits whether a run gets through
     */
    Variant minimal(Scenario asked, Predicate<Scenario> fits) {
        Variant least = this;
        for (Change change : changes) {
            Variant without = least.without(change, asked);
            if (change.intrusion() == Intrusion.NONE && fits.test(without.run())) {
                least = without;
            }
        }
        return least;
    }

    /** With the prediction of its run. */
    Plan plan(VariantPlayer player) {
        return new Plan(ordered(), player.predict(run));
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

    /** The kinds of changes that have a price. */
    Set<String> pricedKinds() {
        return changes.stream()
                .filter(change -> change.intrusion() != Intrusion.NONE)
                .map(Change::kind)
                .collect(Collectors.toSet());
    }

    /** The changes in the order in which a reader wants them: the least intrusive first. */
    List<Change> ordered() {
        return changes.stream().sorted(Comparator.comparing(Change::intrusion)).toList();
    }
}
