package dev.headroom.model.scenario;

import static dev.headroom.model.scenario.ValueFormats.FLAG;
import static dev.headroom.model.scenario.ValueFormats.NAMES;
import static dev.headroom.model.scenario.ValueFormats.choice;
import static dev.headroom.model.scenario.ValueFormats.count;
import static dev.headroom.model.scenario.ValueFormats.probability;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.adapter.AdapterNames;
import dev.headroom.model.adapter.AdapterOptions;
import dev.headroom.model.units.OptionNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The settings of adapters and of frozen parameters: rows of the table that {@link ScenarioSettings} is. */
public final class AdapterSettings {
    private static final int MOST = 1_000_000;
    private static final String NO_LORA = "it belongs to `lora`";

    /** A method of peft. */
    static final ValueFormat<AdapterMethod> METHODS = ValueFormat.one(
            AdapterSettings::adapter,
            OptionNames::of,
            method -> method == null ? null : OptionNames.of(method),
            Arrays.stream(AdapterMethod.values()).map(OptionNames::of).toList());

    private static final List<Setting<?>> ALL = new ArrayList<>();

    private static final ScenarioPart<AdapterOptions> ADAPTERS =
            new ScenarioPart<>(Scenario::adapters, Scenario::withAdapters);

    public static final Setting<Integer> LORA =
            row(Setting.of("lora", ADAPTERS, AdapterOptions::lora, AdapterOptions::withLora)
                    .written(count(MOST), "R", "LoRA adapters of this rank, as peft makes them."));

    public static final Setting<Boolean> IA3 = row(Setting.of(
                    "ia3", ADAPTERS, AdapterOptions::ia3, AdapterOptions::withIa3)
            .written(FLAG, "", "IA3 adapters, as peft makes them, in the place of LoRA.")
            .onlyIf(s -> !s.adapters().ia3() || s.adapters().lora() == null, "there are `lora` adapters already"));

    public static final Setting<AdapterMethod> ADAPTER =
            row(Setting.of("adapter", ADAPTERS, AdapterSettings::named, AdapterOptions::withMethod)
                    .written(METHODS, "METHOD", "Another method of peft in the place of LoRA.")
                    .onlyIf(
                            s -> s.adapters().method() == null || s.adapters().lora() == null,
                            "there are `lora` adapters already"));

    public static final Setting<Integer> ADAPTER_SIZE =
            row(Setting.of("adapter_size", ADAPTERS, AdapterOptions::size, AdapterOptions::withSize)
                    .written(
                            count(MOST),
                            "N",
                            "Its rank, the size of its blocks (oft), or how many tokens it trains (prompt-tuning,"
                                    + " p-tuning, prefix-tuning); peft's own by default.")
                    .onlyIf(s -> sized(s.adapters()), "it belongs to `adapter`"));

    public static final Setting<Boolean> PREFIX_PROJECTION =
            row(Setting.of("prefix_projection", ADAPTERS, AdapterOptions::projected, AdapterOptions::withProjected)
                    .written(FLAG, "", "prefix_projection=True: a small network makes the keys and values.")
                    .onlyIf(s -> s.adapters().prefixTokens() > 0, "it belongs to `adapter=prefix-tuning`"));

    public static final Setting<Integer> LORA_ALPHA =
            ofLora(Setting.of("lora_alpha", ADAPTERS, AdapterOptions::alpha, AdapterOptions::withAlpha)
                    .written(count(MOST), "N", "lora_alpha (default 16); takes no memory."));

    public static final Setting<Boolean> RSLORA =
            ofLora(Setting.of("rslora", ADAPTERS, AdapterOptions::rankStabilized, AdapterOptions::withRankStabilized)
                    .written(FLAG, "", "use_rslora=True; takes no memory."));

    public static final Setting<Double> LORA_DROPOUT = row(Setting.of(
                    "lora_dropout", ADAPTERS, AdapterOptions::dropout, AdapterOptions::withDropout)
            .written(probability(), "P", "lora_dropout (default 0); vera_dropout of `adapter=vera`.")
            .onlyIf(s -> s.adapters().takesDropout(), "it belongs to `lora`, `adapter=adalora` and `adapter=vera`"));

    public static final Setting<List<String>> TARGETS =
            ofAdapters(Setting.of("targets", ADAPTERS, AdapterOptions::targets, AdapterOptions::withTargets)
                    .written(
                            NAMES,
                            "NAMES",
                            "target_modules: names of modules with commas between them, a regular expression of"
                                    + " whole paths, or all-linear."));

    public static final Setting<List<String>> TARGET_PARAMETERS = ofLora(Setting.of(
                    "target_parameters",
                    ADAPTERS,
                    AdapterOptions::targetParameters,
                    AdapterOptions::withTargetParameters)
            .written(NAMES, "NAMES", "target_parameters: names of parameters, such as stacks of experts."));

    public static final Setting<List<String>> MODULES_TO_SAVE = ofAdapters(
            Setting.of("modules_to_save", ADAPTERS, AdapterOptions::modulesToSave, AdapterOptions::withModulesToSave)
                    .written(NAMES, "NAMES", "modules_to_save: modules that are trained whole, as copies."));

    public static final Setting<Boolean> DORA =
            ofLora(Setting.of("dora", ADAPTERS, AdapterOptions::dora, AdapterOptions::withDora)
                    .written(FLAG, "", "use_dora=True: weights of magnitude and direction."));

    public static final Setting<AdapterOptions.Type> ADAPTER_DTYPE =
            ofAdapters(Setting.of("adapter_dtype", ADAPTERS, AdapterOptions::type, AdapterOptions::withType)
                    .written(
                            choice(List.of(AdapterOptions.Type.values()), OptionNames::of),
                            "TYPE",
                            "fp32 (default), or model (autocast_adapter_dtype=False)."));

    public static final Setting<List<String>> FREEZE =
            row(Setting.of("freeze", ADAPTERS, AdapterOptions::freeze, AdapterOptions::withFreeze)
                    .written(NAMES, "TEXTS", "Freezes parameters whose names hold one of these texts."));

    public static final Setting<List<String>> TRAIN = row(Setting.of(
                    "train", ADAPTERS, AdapterOptions::train, AdapterOptions::withTrain)
            .written(NAMES, "TEXTS", "Trains, besides adapters, only parameters whose names hold one of these texts."));

    private AdapterSettings() {}

    /** IA3 has an option of its own. */
    private static @Nullable AdapterMethod named(AdapterOptions adapters) {
        return adapters.ia3() ? null : adapters.method();
    }

    private static boolean sized(AdapterOptions adapters) {
        AdapterMethod method = adapters.method();
        return method != null && method.usualSize() > 0;
    }

    private static <T> Setting<T> ofLora(Setting<T> setting) {
        return row(setting.onlyIf(s -> s.adapters().lora() != null, NO_LORA));
    }

    private static <T> Setting<T> ofAdapters(Setting<T> setting) {
        return row(setting.onlyIf(
                s -> s.adapters().adaptsLayers(),
                "it belongs to `lora`, `adapter` and `ia3`, where layers are adapted"));
    }

    private static <T> Setting<T> row(Setting<T> setting) {
        ALL.add(setting);
        return setting;
    }

    /** Every setting, in the order of the table. */
    public static List<Setting<?>> all() {
        return Collections.unmodifiableList(ALL);
    }

    private static AdapterMethod adapter(String text) {
        AdapterNames.instead(text).ifPresent(line -> {
            throw new BadValue("'" + text + "': " + line);
        });
        return AdapterNames.known(text)
                .orElseGet(() -> ValueFormats.choose(text, List.of(AdapterMethod.values()), OptionNames::of));
    }
}
