package dev.headroom.app.command;

import dev.headroom.app.option.BadOption;
import dev.headroom.app.option.DeviceOptions;
import dev.headroom.app.option.ScenarioOptions;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The asked scenario with a few options changed. */
@Command(name = "headroom predict")
final class ComparedScenario {
    /** A word, or text in quotes. */
    private static final Pattern TOKEN = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    @Mixin
    ScenarioOptions scenario = new ScenarioOptions();

    @Mixin
    DeviceOptions device = new DeviceOptions();

    private final String text;

    private ComparedScenario(String text) {
        this.text = text;
    }

    /**
     * Reads options that stand for themselves, or in place of those of the command line.
     *
     * @param text such as {@code --batch 64 --amp bf16}
     * @param asked the options of the command line
     * @throws UserInputException for options that are not of a scenario or a device
     */
    static ComparedScenario parse(String text, List<OptionSpec> asked) {
        ComparedScenario compared = new ComparedScenario(text.strip());
        CommandLine line = new CommandLine(compared).setOverwrittenOptionsAllowed(true);
        List<String> words = new ArrayList<>();
        for (OptionSpec option : asked) {
            if (line.getCommandSpec().findOption(option.longestName()) != null) {
                words.addAll(words(option));
            }
        }
        Matcher token = TOKEN.matcher(text);
        while (token.find()) {
            words.add(
                    token.group(1) != null ? token.group(1) : token.group(2) != null ? token.group(2) : token.group(3));
        }
        try {
            line.parseArgs(words.toArray(String[]::new));
            compared.scenario.bindLast();
            compared.asked();
        } catch (ParameterException | UserInputException e) {
            throw new BadOption("--compare '" + compared.text + "': " + reason(e));
        }
        return compared;
    }

    private static String reason(RuntimeException e) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().get(0);
            if (!word.startsWith("-")) {
                return "'" + word + "' is not an option; the model is that of the command line";
            }
        }
        return ErrorLine.reason(e);
    }

    private static List<String> words(OptionSpec option) {
        if (option.arity().max() == 0) {
            return List.of(option.longestName());
        }
        List<String> words = new ArrayList<>();
        option.originalStringValues().forEach(value -> words.addAll(List.of(option.longestName(), value)));
        return words;
    }

    /** The options that differ. */
    String label() {
        return text;
    }

    private Scenario asked() {
        return device.on(scenario.toRun());
    }

    /** The question, for a graph. */
    PredictionRequest request(Graph graph) {
        return new PredictionRequest(graph, asked());
    }

    /** The answer with what was asked for in vain among its warnings. */
    Prediction notes(Prediction prediction) {
        return prediction.warnedOf(scenario.withoutEffect(prediction.run()));
    }
}
