package dev.headroom.advisor.plans;

import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * One change of a training program.
 *
 * @param kind what it touches, such as {@code precision}: a plan has at most one change of a kind
 * @param title in a few words
 * @param code lines of PyTorch, as they stand after the change
 * @param effects what else is different, a sentence each without the full stop; empty when nothing is
 * @param edit the run with the change made
 */
public record Change(
        String kind,
        String title,
        Intrusion intrusion,
        Cost cost,
        List<String> code,
        List<String> effects,
        UnaryOperator<Scenario> edit) {
    static Change free(
            String kind, String title, List<String> code, List<String> effects, UnaryOperator<Scenario> edit) {
        return new Change(kind, title, Intrusion.NONE, Cost.NONE, code, effects, edit);
    }

    /** The run with the change made. */
    public Scenario of(Scenario run) {
        return edit.apply(run);
    }
}
