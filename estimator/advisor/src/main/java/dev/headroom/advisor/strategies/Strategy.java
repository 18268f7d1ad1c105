package dev.headroom.advisor.strategies;

import static dev.headroom.model.scenario.ParallelSettings.BUILD;

import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
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

    /** The same for a model that is made on the meta device, because no card holds the whole. */
    Strategy fromMeta() {
        List<String> lines = new ArrayList<>();
        lines.add("with torch.device(\"meta\"): model = ...  # nothing is allocated");
        lines.addAll(code);
        lines.add("model.to_empty(device=...)  # each rank's part; then load the weights");
        return new Strategy(
                name + ", from meta",
                effect + "; the model is made on the meta device, as no card holds the whole",
                run -> spread.apply(run).with(BUILD, Parallelism.Build.META),
                lines);
    }
}
