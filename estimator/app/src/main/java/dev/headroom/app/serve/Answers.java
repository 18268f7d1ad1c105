package dev.headroom.app.serve;

import dev.headroom.advisor.plans.Advisor;
import dev.headroom.advisor.plans.Goal;
import dev.headroom.advisor.strategies.StrategySearch;
import dev.headroom.app.ask.Models;
import dev.headroom.app.ask.Question;
import dev.headroom.app.option.GpuCount;
import dev.headroom.app.option.WrittenOptions;
import dev.headroom.app.report.AdviceJson;
import dev.headroom.app.report.JsonReport;
import dev.headroom.app.report.StrategyReport;
import dev.headroom.app.words.Door;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.scenario.DeviceBudget;
import dev.headroom.model.scenario.Scenario;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Answers questions with the JSON of the command line, byte for byte but for how sentences write settings. */
final class Answers {
    private static final String WORLD = "world";

    private final Store store;
    private final Models models = new Models();

    Answers(Store store) {
        this.store = store;
    }

    /** As {@code headroom predict --json} prints it. */
    byte[] predict(Question question) {
        return answer(
                question,
                (asked, out) -> JsonReport.write(
                        Predictor.predict(asked.request()).warnedOf(asked.notes()), Door.SERVICE, out));
    }

    /** As {@code headroom advise --json} prints it. */
    byte[] advise(Question question) {
        return answer(question, (asked, out) -> {
            if (!asked.notes().isEmpty()) {
                throw new UserInputException(asked.notes().get(0) + "; leave it out");
            }
            AdviceJson.write(Advisor.advise(asked.request(), Goal.KEEP_BATCH), Door.SERVICE, out);
        });
    }

    /** As {@code headroom advise --gpus N --json} prints it, for as many GPUs as the option {@code world} says. */
    byte[] strategies(Question question) {
        Map<String, List<String>> options = new LinkedHashMap<>(question.options());
        List<String> world = options.remove(WORLD);
        if (world == null || options.containsKey("parallel")) {
            throw new UserInputException("strategies are tried for the GPUs that 'world' counts, without 'parallel'");
        }
        int gpus = GpuCount.parse(WORLD, WrittenOptions.one(WORLD, world)).gpus();
        return answer(new Question(question.model(), options), (asked, out) -> {
            DeviceBudget device = asked.request().scenario().device();
            if (device.total() == null && device.limit() == null) {
                throw new UserInputException("strategies need to know the memory there is; add gpu or memory");
            }
            StrategyReport.writeJson(gpus, new StrategySearch(asked.request(), played -> {}).on(gpus), out);
        });
    }

    /** The prediction, its verdict in words, and memory over the run. */
    byte[] overview(Question question) {
        return answer(question, (asked, out) -> {
            PlayedRun run = PlayedRun.of(asked.request());
            OverviewJson.write(run.with(run.prediction().warnedOf(asked.notes())), out);
        });
    }

    private record Asked(PredictionRequest request, List<String> notes) {}

    private interface Report {
        void write(Asked asked, Writer out);
    }

    private byte[] answer(Question question, Report report) {
        String path = store.path(question.model()).toString();
        try {
            WrittenOptions words = WrittenOptions.of(question.options());
            Scenario scenario = words.scenario();
            PredictionRequest request = new Question(path, question.options()).request(models);
            return bytes(out -> report.write(new Asked(request, words.withoutEffect(scenario)), out));
        } catch (UserInputException e) {
            String line = String.valueOf(e.getMessage());
            throw new UserInputException(line.replace(path, question.model()), e); // not where it lies
        }
    }

    /** What a writer is given, as UTF-8. */
    static byte[] bytes(Consumer<Writer> content) {
        StringWriter out = new StringWriter();
        content.accept(out);
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }
}
