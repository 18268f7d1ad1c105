package dev.headroom.app.report;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.trainer.LoopKind;
import dev.headroom.model.units.OptionNames;
import java.util.Objects;
import java.util.function.Supplier;

/** A run in a few words. */
public final class ScenarioText {
    private ScenarioText() {}

    /** {@code batch 32, amp bf16, adamw, 3 steps}. */
    public static String words(Scenario run) {
        StringBuilder text = new StringBuilder();
        add(text, run.sizes().batch() != null, "batch " + run.sizes().batch());
        add(text, run.model().seq() != null, "seq " + run.model().seq());
        run.sizes().dims().forEach((name, size) -> add(text, true, name + " " + size));
        DType type = run.precision().dtype();
        add(text, type != null, () -> OptionNames.of(Objects.requireNonNull(type)));
        DType amp = run.precision().amp();
        add(text, amp != null, () -> "amp " + OptionNames.of(Objects.requireNonNull(amp)));
        QuantKind quant = run.quant().kind();
        add(text, quant != null, () -> OptionNames.of(Objects.requireNonNull(quant)));
        AdapterMethod method = run.adapters().method();
        add(text, method != null, () -> OptionNames.of(Objects.requireNonNull(method)));
        add(
                text,
                run.adapters().lora() != null,
                () -> (run.adapters().dora() ? "dora " : "lora ")
                        + run.adapters().rank());
        add(
                text,
                run.trainer().loop() != LoopKind.PLAIN,
                () -> OptionNames.of(run.trainer().loop()) + " loop");
        add(
                text,
                run.parallel().kind() != ParallelKind.SINGLE,
                run.parallel().kind().option() + " on " + run.parallel().world()
                        + (run.parallel().world() == 1 ? " GPU" : " GPUs"));
        add(text, run.loop().inference() && !run.generation().any(), "inference");
        add(
                text,
                run.generation().any(),
                "generates " + run.generation().tokens() + " tokens, "
                        + OptionNames.of(run.generation().cache()) + " cache");
        add(
                text,
                !run.loop().inference(),
                run.optimizer().kind().option() + (run.optimizer().fused() ? " (fused)" : ""));
        add(
                text,
                run.checkpointing().segments() > 0,
                "checkpoint " + run.checkpointing().segments());
        add(text, run.loop().accumulate() > 1, "accumulate " + run.loop().accumulate());
        add(text, run.kernels().channelsLast(), "channels-last");
        add(text, run.kernels().channelsLast3d(), "channels-last-3d");
        add(text, run.kernels().deterministic(), "deterministic");
        add(text, !run.allocConf().isEmpty(), run.allocConf());
        add(text, !run.generation().any(), run.loop().steps() + (run.loop().steps() == 1 ? " step" : " steps"));
        return text.toString();
    }

    private static void add(StringBuilder text, boolean when, Supplier<String> word) {
        add(text, when, when ? word.get() : "");
    }

    private static void add(StringBuilder text, boolean when, String word) {
        if (when) {
            text.append(text.length() == 0 ? "" : ", ").append(word);
        }
    }
}
