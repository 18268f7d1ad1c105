package dev.headroom.model.scenario;

import static dev.headroom.model.scenario.ValueFormats.FLAG;
import static dev.headroom.model.scenario.ValueFormats.choice;

import dev.headroom.model.quant.Load;
import dev.headroom.model.quant.QuantKind;
import dev.headroom.model.quant.Quantisation;
import dev.headroom.model.units.OptionNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The settings of quantised weights and of loading: rows of the table that {@link ScenarioSettings} is. */
public final class QuantSettings {
    private static final List<Setting<?>> ALL = new ArrayList<>();

    private static final ScenarioPart<Quantisation> QUANTISATION =
            new ScenarioPart<>(Scenario::quant, Scenario::withQuant);

    public static final Setting<QuantKind> QUANT =
            row(Setting.of("quant", QUANTISATION, Quantisation::kind, Quantisation::withKind)
                    .written(
                            choice(List.of(QuantKind.values()), OptionNames::of),
                            "KIND",
                            "bitsandbytes: weights of linear layers as nf4, fp4 or int8."));

    public static final Setting<Boolean> DOUBLE_QUANT =
            row(Setting.of("double_quant", QUANTISATION, Quantisation::doubleQuant, Quantisation::withDoubleQuant)
                    .written(FLAG, "", "The scales of 4-bit weights are quantised too.")
                    .onlyIf(s -> s.quant().isFourBit(), "only the scales of `quant=nf4` and fp4 can be quantised"));

    public static final Setting<Boolean> NO_KBIT_PREPARE = row(
            Setting.of("no_kbit_prepare", QUANTISATION, Quantisation::noKbitPrepare, Quantisation::withNoKbitPrepare)
                    .written(FLAG, "", "With `quant`: without peft's prepare_model_for_kbit_training.")
                    .trainsWith(given -> given)
                    .onlyIf(s -> s.quant().any(), "only a run with `quant` prepares its model"));

    public static final Setting<Load> LOAD =
            row(Setting.of("load", QUANTISATION, Quantisation::load, Quantisation::withLoad)
                    .written(
                            choice(List.of(Load.values()), OptionNames::of),
                            "HOW",
                            "How the model comes to the GPU, as a phase: to (model.to) or device-map"
                                    + " (from_pretrained; always with `quant`)."));

    private QuantSettings() {}

    private static <T> Setting<T> row(Setting<T> setting) {
        ALL.add(setting);
        return setting;
    }

    /** Every one of them. */
    public static List<Setting<?>> all() {
        return Collections.unmodifiableList(ALL);
    }
}
