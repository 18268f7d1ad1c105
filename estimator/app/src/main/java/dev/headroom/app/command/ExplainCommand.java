package dev.headroom.app.command;

import dev.headroom.advisor.explain.Explanation;
import dev.headroom.app.option.CommandSpecs;
import dev.headroom.app.report.ExplanationJson;
import dev.headroom.app.report.ExplanationReport;
import dev.headroom.app.report.Style;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.scenario.Setting;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code headroom explain}: why a run takes its memory. */
final class ExplainCommand implements Callable<Integer> {
    private final Services engine;

    private final QuestionOptions question;

    private final OptionSpec json = CommandSpecs.flag("--json", "One JSON object on standard output.");

    final CommandSpec spec =
            CommandSpecs.command("explain", this, "Tells why a training run takes the GPU memory it takes.");

    /** @param offered the settings that have an option */
    ExplainCommand(Services engine, Predicate<Setting<?>> offered) {
        this.engine = engine;
        this.question = new QuestionOptions(offered);
        question.addTo(spec);
        CommandSpecs.withHelp(spec.addOption(json));
        spec.usageMessage().sortOptions(false).footer("", ExitStatus.OF_A_RUN);
    }

    @Override
    public Integer call() {
        PredictionRequest request = question.read(engine);
        Explanation explanation = Explanation.of(request).withRemarks(question.withoutEffect(request.scenario()));
        PrintWriter out = spec.commandLine().getOut();
        if (CommandSpecs.isGiven(json)) {
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
