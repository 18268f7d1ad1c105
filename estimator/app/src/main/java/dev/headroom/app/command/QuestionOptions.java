package dev.headroom.app.command;

import dev.headroom.app.option.DeviceOptions;
import dev.headroom.app.option.ScenarioOptions;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Which model is trained how and on what: the question that most commands answer. */
final class QuestionOptions {
    @Parameters(
            paramLabel = "MODEL",
            description =
                    "A .pt2 archive of torch.export, a config.json of transformers, a folder with one, or a name that"
                            + " headroom models lists.")
    Path model = Path.of("");

    @Mixin
    ScenarioOptions scenario;

    @Mixin
    DeviceOptions device = new DeviceOptions();

    /** @param offered the settings that have an option */
    QuestionOptions(Predicate<Setting<?>> offered) {
        scenario = new ScenarioOptions(offered);
    }

    /**
     * All of the question but the model, which is read last: a mistyped card should not cost the reading.
     *
     * @throws dev.headroom.model.error.UserInputException for options that cannot be
     */
    Scenario asked() {
        return device.on(scenario.toRun());
    }

    /**
     * The whole question.
     *
     * @throws dev.headroom.model.error.UserInputException for options that cannot be, or an archive that cannot be read
     */
    PredictionRequest read(Services engine) {
        Scenario asked = asked();
        return new PredictionRequest(engine.reader().apply(model, asked), asked);
    }

    /** What was asked for and cannot have an effect, one line each. */
    List<String> withoutEffect(Scenario asked) {
        return scenario.withoutEffect(asked);
    }
}
