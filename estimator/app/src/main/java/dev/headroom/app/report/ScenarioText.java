package dev.headroom.app.report;

import dev.headroom.model.scenario.OptionNames;
import dev.headroom.model.scenario.Scenario;

/** A run in a few words. */
public final class ScenarioText {
    private ScenarioText() {}

    /** {@code batch 32, amp bf16, adamw, 3 steps}. */
    public static String words(Scenario run) {
        StringBuilder text = new StringBuilder();
        add(text, run.batch != null, "batch " + run.batch);
        run.dims.forEach((name, size) -> add(text, true, name + " " + size));
        add(text, run.dtype != null, run.dtype == null ? "" : OptionNames.of(run.dtype));
        add(text, run.amp != null, run.amp == null ? "" : "amp " + OptionNames.of(run.amp));
        add(text, run.inference, "inference");
        add(text, !run.inference, run.optimizer.option() + (run.fused ? " (fused)" : ""));
        add(text, run.checkpoint > 0, "checkpoint " + run.checkpoint);
        add(text, run.accumulate > 1, "accumulate " + run.accumulate);
        add(text, run.channelsLast, "channels-last");
        add(text, !run.allocConf.isEmpty(), run.allocConf);
        add(text, true, run.steps + (run.steps == 1 ? " step" : " steps"));
        return text.toString();
    }

    private static void add(StringBuilder text, boolean when, String word) {
        if (when) {
            text.append(text.length() == 0 ? "" : ", ").append(word);
        }
    }
}
