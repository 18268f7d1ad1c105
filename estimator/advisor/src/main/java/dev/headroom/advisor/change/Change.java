package dev.headroom.advisor.change;

import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * One change of a training program.
 *
 * @param kind what it touches, such as {@code precision}: a plan has at most one change of a kind
 * @param title in a few words
 * @param intrusion how deep it goes
 * @param cost what it costs in a step
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
    public Change {
        code = List.copyOf(code);
        effects = List.copyOf(effects);
    }

    /** One that costs nothing and leaves the arithmetic as it is, without its lines of code. */
    static Change free(String kind, String title, UnaryOperator<Scenario> edit) {
        return new Change(kind, title, Intrusion.NONE, Cost.NONE, List.of(), List.of(), edit);
    }

    /** The same with its lines of PyTorch. */
    Change withCode(String... lines) {
        return withCode(List.of(lines));
    }

    /** The same with its lines of PyTorch. */
    Change withCode(List<String> lines) {
        return new Change(kind, title, intrusion, cost, lines, effects, edit);
    }

    /** The same with something else that is different after it. */
    Change withEffect(String sentence) {
        return new Change(kind, title, intrusion, cost, code, List.of(sentence), edit);
    }

    /** The same, but deeper. */
    Change withIntrusion(Intrusion depth) {
        return new Change(kind, title, depth, cost, code, effects, edit);
    }

    /** The same at a price. */
    Change withCost(Cost price) {
        return new Change(kind, title, intrusion, price, code, effects, edit);
    }

    /** The run with the change made. */
    public Scenario of(Scenario run) {
        return edit.apply(run);
    }
}
