package dev.headroom.validation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.headroom.app.option.ScenarioOptions;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.Setting;
import dev.headroom.model.scenario.ValueFormat;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/**
 * Reads the {@code scenario} of a recording: the options of {@code headroom predict}, under the names that its {@code
 * --json} prints. What is left out, {@code null} or {@code false} stays at its default. Every value goes through the
 * command line's own reading, so that both take the same words and refuse the same ones.
 */
final class RecordedScenario {
    @CommandLine.Command(name = "scenario")
    private static final class Options {
        @Mixin
        ScenarioOptions scenario = new ScenarioOptions();
    }

    private RecordedScenario() {}

    /**
     * The run that a scenario describes.
     *
     * @throws UserInputException for an unknown option or value
     */
    static Scenario read(JsonNode scenario) {
        Options options = new Options();
        try {
            new CommandLine(options).parseArgs(arguments(scenario).toArray(String[]::new));
        } catch (ParameterException e) {
            throw new UserInputException("scenario: " + e.getMessage(), e);
        }
        try {
            return options.scenario.toRecorded();
        } catch (UserInputException e) {
            throw new UserInputException("scenario: " + e.getMessage(), e);
        }
    }

    private static List<String> arguments(JsonNode scenario) {
        List<String> out = new ArrayList<>();
        scenario.properties().forEach(e -> {
            String option = "--" + e.getKey().replace('_', '-');
            JsonNode value = e.getValue();
            if (e.getKey().equals("dims")) {
                require(value.isObject() || value.isNull(), "dims", "is not an object of names and sizes");
                value.properties()
                        .forEach(d -> out.add(
                                "--dim=" + d.getKey() + "=" + d.getValue().asText()));
            } else if (value.isArray()) {
                value.forEach(v -> {
                    require(v.isTextual(), e.getKey(), "does not hold texts only");
                    out.add(option + "=" + v.asText());
                });
            } else if (value.isBoolean() && isFlag(e.getKey())) {
                if (value.booleanValue()) {
                    out.add(option);
                }
            } else if (value.isContainerNode()) {
                throw wrong(e.getKey(), "holds an object; it takes a single value");
            } else if (!unset(e.getKey(), value)) {
                out.add(option + "=" + value.asText());
            }
        });
        return out;
    }

    private static void require(boolean holds, String key, String otherwise) {
        if (!holds) {
            throw wrong(key, otherwise);
        }
    }

    private static UserInputException wrong(String key, String reason) {
        return new UserInputException("scenario: " + key + " " + reason);
    }

    private static boolean isFlag(String key) {
        return ScenarioSettings.written(key)
                .flatMap(Setting::words)
                .map(words -> words.format().arity() == ValueFormat.Arity.FLAG)
                .orElse(true);
    }

    /** How {@code predict --json} writes that an option was not given. */
    private static boolean unset(String key, JsonNode value) {
        return value.isNull()
                || value.asText().isEmpty()
                || ScenarioSettings.written(key)
                        .map(RecordedScenario::usual)
                        .filter(value.asText()::equals)
                        .isPresent();
    }

    private static <T> String usual(Setting<T> setting) {
        return String.valueOf(setting.words().orElseThrow().format().json().apply(setting.get(Scenario.defaults())));
    }
}
