package dev.headroom.model.scenario;

import static dev.headroom.model.scenario.ValueFormats.choice;

import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.trainer.LoopKind;
import dev.headroom.model.trainer.TrainerOptions;
import dev.headroom.model.trainer.TransformersVersion;
import java.util.ArrayList;
import java.util.List;

/** The settings of training loops that libraries bring: rows of the table of {@link ScenarioSettings}. */
public final class TrainerSettings {
    private static final List<Setting<?>> ALL = new ArrayList<>();

    private static final ScenarioPart<TrainerOptions> TRAINER =
            new ScenarioPart<>(Scenario::trainer, Scenario::withTrainer);

    public static final Setting<LoopKind> LOOP = row(Setting.of(
                    "loop", TRAINER, TrainerOptions::loop, TrainerOptions::withLoop)
            .written(
                    choice(List.of(LoopKind.values()), OptionNames::of),
                    "KIND",
                    "Whose training loop: plain, trainer (of transformers) or sft (SFTTrainer of trl).")
            .trainsWith(LoopKind::isTrainer)
            .onlyIf(s -> s.parallel().kind() == ParallelKind.SINGLE, "the Trainer's loop is modelled on one GPU"));

    public static final Setting<TransformersVersion> TRANSFORMERS =
            row(Setting.of("transformers", TRAINER, TrainerOptions::transformers, TrainerOptions::withTransformers)
                    .written(
                            ValueFormat.one(
                                    TrainerSettings::version,
                                    TransformersVersion::toString,
                                    TransformersVersion::toString,
                                    List.of()),
                            "VERSION",
                            "Version of transformers whose Trainer, losses and checkpoints are modelled (default the"
                                    + " newest)."));

    private TrainerSettings() {}

    private static TransformersVersion version(String text) {
        try {
            return TransformersVersion.of(text);
        } catch (IllegalArgumentException e) {
            throw new BadValue(e.getMessage());
        }
    }

    private static <T> Setting<T> row(Setting<T> setting) {
        ALL.add(setting);
        return setting;
    }

    /** Every one of them. */
    public static List<Setting<?>> all() {
        return List.copyOf(ALL);
    }
}
