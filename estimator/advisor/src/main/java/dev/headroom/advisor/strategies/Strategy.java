package dev.headroom.advisor.strategies;

import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A way to spread a run over GPUs.
 *
 * @param name in a few words
 * @param effect what it does to each rank, a sentence
 * @param spread the same run, spread; its world is set already
 * @param code lines of Python, or of DeepSpeed's JSON, that a script takes for it
 */
public record Strategy(String name, String effect, UnaryOperator<Scenario> spread, List<String> code) {
    public Strategy {
        code = List.copyOf(code);
    }
}
