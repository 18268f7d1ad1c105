package dev.headroom.advisor.plans;

import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.change.Cost;
import dev.headroom.advisor.change.Intrusion;
import dev.headroom.estimator.predict.Prediction;
import java.util.List;

/**
 * Changes under which a run gets through, as its simulation within the device's memory showed.
 *
 * @param changes of different kinds, the least intrusive first; empty for the run as it was asked for
 * @param prediction of the changed run on the device; its {@code run()} has the changed options
 */
public record Plan(List<Change> changes, Prediction prediction) {
    /** The deepest of the changes. */
    public Intrusion intrusion() {
        return changes.stream().map(Change::intrusion).max(Enum::compareTo).orElse(Intrusion.NONE);
    }

    /** The changes' together. */
    public Cost cost() {
        return changes.stream().map(Change::cost).reduce(Cost.NONE, Cost::and);
    }

    /** Lines of PyTorch, change by change. */
    public List<String> code() {
        return changes.stream().flatMap(c -> c.code().stream()).toList();
    }

    /** What else is different, change by change. */
    public List<String> effects() {
        return changes.stream().flatMap(c -> c.effects().stream()).toList();
    }
}
