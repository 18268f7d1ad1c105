package dev.headroom.app.ask;

import dev.headroom.app.option.BadOption;
import dev.headroom.app.option.WrittenOptions;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A model and the options of {@code predict}, in words.
 *
 * @param model a file, a folder, or a name that {@code headroom models} lists
 * @param options the texts of each option by its word, in order; those of a flag are {@code true} or {@code false}
 */
public record Question(String model, Map<String, List<String>> options) {
    /** The word of the model among options. */
    public static final String MODEL = "model";

    /** @param options copied */
    public Question {
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
    }

    /**
     * Takes the model out of texts.
     *
     * @throws BadOption when there is not one
     */
    public static Question of(Map<String, List<String>> texts) {
        Map<String, List<String>> options = new LinkedHashMap<>(texts);
        List<String> model = options.remove(MODEL);
        if (model == null || model.size() != 1) {
            throw new BadOption("model: name one, such as resnet50.pt2 or a name that 'headroom models' lists");
        }
        return new Question(model.get(0), options);
    }

    /**
     * The answer, with what was asked for in vain among its warnings.
     *
     * @param predictor such as {@code Predictor::predict}
     * @throws dev.headroom.model.error.UserInputException for input that cannot be, as on the command line
     */
    public Prediction answer(Models models, Function<PredictionRequest, Prediction> predictor) {
        WrittenOptions words = WrittenOptions.of(options);
        PredictionRequest request = request(models, words.scenario());
        return predictor.apply(request).warnedOf(words.withoutEffect(request.scenario()));
    }

    /**
     * The question in the words of the library.
     *
     * @throws dev.headroom.model.error.UserInputException for input that cannot be, as on the command line
     */
    public PredictionRequest request(Models models) {
        return request(models, WrittenOptions.of(options).scenario());
    }

    private PredictionRequest request(Models models, Scenario asked) {
        try {
            return new PredictionRequest(models.graph(Path.of(model), asked), asked);
        } catch (InvalidPathException e) {
            throw new BadOption("model: '" + model + "' is no name of a file");
        }
    }
}
