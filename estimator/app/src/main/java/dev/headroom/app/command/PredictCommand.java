package dev.headroom.app.command;

import dev.headroom.app.plot.PlotFile;
import dev.headroom.app.report.JsonReport;
import dev.headroom.app.report.LayerTable;
import dev.headroom.app.report.Style;
import dev.headroom.app.report.Summary;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.timeline.PlayedRun;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
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
    private final Services engine;

    @Spec
    CommandSpec spec;

    @Mixin
    QuestionOptions question = new QuestionOptions();

    @Option(names = "--json", description = "One JSON object on standard output.")
    boolean json;

    @Option(
            names = "--snapshot",
            paramLabel = "OUT",
            description = "Writes the run as a memory snapshot of PyTorch, for its viewer pytorch.org/memory_viz.")
    Path snapshot;

    @Option(
            names = "--plot",
            paramLabel = "OUT",
            description = "Draws memory over time, by category: OUT.svg or OUT.png.")
    Path plot;

    @Mixin
    ReportOptions page = new ReportOptions();

    @Option(names = "--layers", description = "What every layer holds.")
    boolean layers;

    PredictCommand(Services engine) {
        this.engine = engine;
    }

    @Override
    public Integer call() {
        if (plot != null) {
            PlotFile.check(plot);
        }
        page.check(spec.commandLine().getParseResult().matchedOptions());
        PredictionRequest request = question.read(engine);
        Prediction prediction = predict(request, question.withoutEffect(request.scenario()));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
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

    private Prediction predict(PredictionRequest request, List<String> notes) {
        Prediction prediction = null;
        if (page.report != null || plot != null) {
            PlayedRun played = engine.player().apply(request);
            prediction = played.prediction().warnedOf(notes);
            if (plot != null) {
                PlotFile.write(played, plot);
            }
            if (page.report != null) {
                page.write(played.with(prediction));
            }
        }
        if (snapshot != null) {
            prediction = engine.recorder().apply(request, snapshot).warnedOf(notes);
        }
        return prediction != null
                ? prediction
                : engine.predictor().apply(request).warnedOf(notes);
    }
}
