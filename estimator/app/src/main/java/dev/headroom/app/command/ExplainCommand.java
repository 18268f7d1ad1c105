package dev.headroom.app.command;

import dev.headroom.advisor.explain.Explanation;
import dev.headroom.app.report.ExplanationJson;
import dev.headroom.app.report.ExplanationReport;
import dev.headroom.app.report.Style;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.scenario.Setting;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headroom explain}: why a run takes its memory. */
@Command(
        name = "explain",
        description = "Tells why a training run takes the GPU memory it takes.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        footer = {"", "Exit status: 0 fits or no device named, 3 does not fit, 2 bad input, 1 a defect of Headroom."})
final class ExplainCommand implements Callable<Integer> {
    private final Services engine;

    @Spec
    CommandSpec spec;

    @Mixin
    QuestionOptions question;

    @Option(names = "--json", description = "One JSON object on standard output.")
    boolean json;

    /** @param offered the settings that have an option */
    ExplainCommand(Services engine, Predicate<Setting<?>> offered) {
        this.engine = engine;
        this.question = new QuestionOptions(offered);
    }

    @Override
    public Integer call() {
        PredictionRequest request = question.read(engine);
        Explanation explanation = Explanation.of(request).withRemarks(question.withoutEffect(request.scenario()));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            ExplanationJson.write(explanation, out);
        } else {
            ExplanationReport.write(explanation, Style.forTerminal(), out);
        }
        out.flush();
        boolean fails =
                Boolean.FALSE.equals(explanation.run().prediction().verdict().fits());
        return fails ? ExitStatus.DOES_NOT_FIT : ExitStatus.OK;
    }
}
