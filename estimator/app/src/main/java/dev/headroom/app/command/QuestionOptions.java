package dev.headroom.app.command;

import dev.headroom.app.option.DeviceOptions;
import dev.headroom.app.option.ScenarioOptions;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Which model is trained how and on what: the question that most commands answer. */
final class QuestionOptions {
    final DeviceOptions device = new DeviceOptions();
    private final ScenarioOptions scenario;

    private final PositionalParamSpec model = PositionalParamSpec.builder()
            .index("0")
            .arity("1")
            .required(true)
            .type(Path.class)
            .paramLabel("MODEL")
            .description("A .pt2 archive of torch.export, a config.json of transformers, a folder with one, or a name"
                    + " that headroom models lists.")
            .build();

    /** @param offered the settings that have an option */
    QuestionOptions(Predicate<Setting<?>> offered) {
        scenario = new ScenarioOptions(offered);
    }

    void addTo(CommandSpec spec) {
        spec.addPositional(model);
        scenario.addOptions(spec);
        device.addOptions(spec);
    }

    /** The file, folder or name of the model. */
    Path model() {
        return Objects.requireNonNull(model.<Path>getValue(), "picocli demands a model");
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
        return new PredictionRequest(engine.reader().apply(model(), asked), asked);
    }

    /** What was asked for and cannot have an effect, one line each. */
    List<String> withoutEffect(Scenario asked) {
        return scenario.withoutEffect(asked);
    }
}
