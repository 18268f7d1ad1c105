package dev.headroom.app.command;

import dev.headroom.app.option.BadOption;
import dev.headroom.app.option.CommandSpecs;
import dev.headroom.app.option.WholeNumbers;
import dev.headroom.app.plot.PlotFile;
import dev.headroom.app.report.JsonReport;
import dev.headroom.app.report.LayerTable;
import dev.headroom.app.report.Style;
import dev.headroom.app.report.Summary;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.timeline.PlayedRun;
import dev.headroom.model.error.Unwritable;
import dev.headroom.model.scenario.Setting;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code headroom predict}: the main job. */
final class PredictCommand implements Callable<Integer> {
    private static final int MOST_COLUMNS = 100_000;

    private final Services engine;

    private final QuestionOptions question;

    private final OptionSpec json = CommandSpecs.flag("--json", "One JSON object on standard output.");

    private final OptionSpec timeline = CommandSpecs.one(
            "--timeline", String.class, "N", "With --json: memory over time by category, in N columns at most.");

    private final OptionSpec snapshot = CommandSpecs.one(
            "--snapshot",
            Path.class,
            "OUT",
            "Writes the run as a memory snapshot of PyTorch, for its viewer pytorch.org/memory_viz.");

    private final OptionSpec plot =
            CommandSpecs.one("--plot", Path.class, "OUT", "Draws memory over time, by category: OUT.svg or OUT.png.");

    private final ReportOptions page = new ReportOptions();

    private final OptionSpec layers = CommandSpecs.flag("--layers", "What every layer holds.");

    final CommandSpec spec = CommandSpecs.command("predict", this, "Predicts the GPU memory of a training run.");

    /** @param offered the settings that have an option */
    PredictCommand(Services engine, Predicate<Setting<?>> offered) {
        this.engine = engine;
        this.question = new QuestionOptions(offered);
        question.addTo(spec);
        spec.addOption(json).addOption(timeline).addOption(snapshot).addOption(plot);
        page.addTo(spec);
        spec.addOption(layers);
        CommandSpecs.withHelp(spec);
        spec.usageMessage().sortOptions(false).footer("", ExitStatus.OF_A_RUN);
    }

    @Override
    public Integer call() {
        Path plot = this.plot.getValue();
        if (plot != null) {
            PlotFile.check(plot);
        }
        Path snapshot = this.snapshot.getValue();
        Unwritable.checkFolder("--snapshot", snapshot);
        boolean json = CommandSpecs.isGiven(this.json);
        int columns = columns();
        page.check(spec.commandLine().getParseResult().matchedOptions());
        PredictionRequest request = question.read(engine);
        List<String> notes = question.withoutEffect(request.scenario());
        PlayedRun played = page.asked() || plot != null || columns > 0 ? play(request, notes, plot) : null;
        Prediction prediction = predict(request, notes, snapshot, played);
        PrintWriter out = spec.commandLine().getOut();
        if (json && played != null && columns > 0) {
            JsonReport.write(played.with(prediction), columns, out);
        } else if (json) {
            JsonReport.write(prediction, out);
        } else if (CommandSpecs.isGiven(layers)) {
            LayerTable.write(prediction, out);
        } else {
            Summary.write(prediction, Style.forTerminal(), out);
        }
        out.flush();
        Boolean fits = prediction.verdict().fits();
        return fits == null || fits ? ExitStatus.OK : ExitStatus.DOES_NOT_FIT;
    }

    private int columns() {
        String columns = timeline.getValue();
        if (columns == null) {
            return 0;
        }
        if (!CommandSpecs.isGiven(json)) {
            throw new BadOption("--timeline is for --json; --report and --plot draw memory over time");
        }
        return (int) WholeNumbers.parse("--timeline", columns, 1, MOST_COLUMNS);
    }

    /** Predicts and keeps the run, for those who look at every event. */
    private PlayedRun play(PredictionRequest request, List<String> notes, @Nullable Path plot) {
        PlayedRun played = engine.player().apply(request);
        played = played.with(played.prediction().warnedOf(notes));
        if (plot != null) {
            PlotFile.write(played, plot);
        }
        page.write(played);
        return played;
    }

    private Prediction predict(
            PredictionRequest request, List<String> notes, @Nullable Path snapshot, @Nullable PlayedRun played) {
        if (snapshot != null) {
            return engine.recorder().apply(request, snapshot).warnedOf(notes);
        }
        return played != null
                ? played.prediction()
                : engine.predictor().apply(request).warnedOf(notes);
    }
}
