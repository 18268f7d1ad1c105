package dev.headroom.app.command;

import dev.headroom.app.option.BadOption;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headroom predict}: the main job. */
@Command(
        name = "predict",
        description = "Predicts the GPU memory of a training run.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        footer = {"", "Exit status: 0 fits or no device named, 3 does not fit, 2 bad input, 1 a defect of Headroom."})
final class PredictCommand implements Callable<Integer> {
    private static final int MOST_COLUMNS = 100_000;

    private final Services engine;

    @Spec
    CommandSpec spec;

    @Mixin
    QuestionOptions question;

    @Option(names = "--json", description = "One JSON object on standard output.")
    boolean json;

    @Option(
            names = "--timeline",
            paramLabel = "N",
            description = "With --json: memory over time by category, in N columns at most.")
    @Nullable
    String timeline;

    @Option(
            names = "--snapshot",
            paramLabel = "OUT",
            description = "Writes the run as a memory snapshot of PyTorch, for its viewer pytorch.org/memory_viz.")
    @Nullable
    Path snapshot;

    @Option(
            names = "--plot",
            paramLabel = "OUT",
            description = "Draws memory over time, by category: OUT.svg or OUT.png.")
    @Nullable
    Path plot;

    @Mixin
    ReportOptions page = new ReportOptions();

    @Option(names = "--layers", description = "What every layer holds.")
    boolean layers;

    /** @param offered the settings that have an option */
    PredictCommand(Services engine, Predicate<Setting<?>> offered) {
        this.engine = engine;
        this.question = new QuestionOptions(offered);
    }

    @Override
    public Integer call() {
        if (plot != null) {
            PlotFile.check(plot);
        }
        Unwritable.checkFolder("--snapshot", snapshot);
        int columns = columns();
        page.check(spec.commandLine().getParseResult().matchedOptions());
        PredictionRequest request = question.read(engine);
        List<String> notes = question.withoutEffect(request.scenario());
        PlayedRun played = page.asked() || plot != null || columns > 0 ? play(request, notes) : null;
        Prediction prediction = predict(request, notes, played);
        PrintWriter out = spec.commandLine().getOut();
        if (json && played != null && columns > 0) {
            JsonReport.write(played.with(prediction), columns, out);
        } else if (json) {
            JsonReport.write(prediction, out);
        } else if (layers) {
            LayerTable.write(prediction, out);
        } else {
            Summary.write(prediction, Style.forTerminal(), out);
        }
        out.flush();
        Boolean fits = prediction.verdict().fits();
        return fits == null || fits ? ExitStatus.OK : ExitStatus.DOES_NOT_FIT;
    }

    private int columns() {
        if (timeline == null) {
            return 0;
        }
        if (!json) {
            throw new BadOption("--timeline is for --json; --report and --plot draw memory over time");
        }
        return (int) WholeNumbers.parse("--timeline", timeline, 1, MOST_COLUMNS);
    }

    /** Predicts and keeps the run, for those who look at every event. */
    private PlayedRun play(PredictionRequest request, List<String> notes) {
        PlayedRun played = engine.player().apply(request);
        played = played.with(played.prediction().warnedOf(notes));
        if (plot != null) {
            PlotFile.write(played, plot);
        }
        page.write(played);
        return played;
    }

    private Prediction predict(PredictionRequest request, List<String> notes, @Nullable PlayedRun played) {
        if (snapshot != null) {
            return engine.recorder().apply(request, snapshot).warnedOf(notes);
        }
        return played != null
                ? played.prediction()
                : engine.predictor().apply(request).warnedOf(notes);
    }
}
