package dev.headroom.cli;

import dev.headroom.graph.Graph;
import dev.headroom.predict.Prediction;
import dev.headroom.predict.PredictionRequest;
import dev.headroom.report.JsonReport;
import dev.headroom.report.LayerTable;
import dev.headroom.report.Style;
import dev.headroom.report.Summary;
import dev.headroom.report.plot.PlotFile;
import dev.headroom.timeline.PlayedRun;
import dev.headroom.training.TrainingRun;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headroom predict}: the main job. */
@Command(
        name = "predict",
        description = "Predicts the GPU memory of a training run.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        footer = {"", "Exit status: 0 fits or no device named, 3 does not fit, 2 bad input, 1 a defect of Headroom."})
final class PredictCommand implements Callable<Integer> {
    private final Engine engine;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "MODEL", description = "A .pt2 archive of torch.export.")
    Path model;

    @Mixin
    ScenarioOptions scenario = new ScenarioOptions();

    @Mixin
    DeviceOptions device = new DeviceOptions();

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

    @Option(names = "--layers", description = "What every layer holds.")
    boolean layers;

    PredictCommand(Engine engine) {
        this.engine = engine;
    }

    @Override
    public Integer call() {
        TrainingRun run = scenario.toRun();
        // Checked before the model is read: a mistyped card should not cost the reading.
        PredictionRequest question = device.request(null, run);
        if (plot != null) {
            PlotFile.check(plot);
        }
        Graph graph = engine.reader().apply(model);
        PredictionRequest request = new PredictionRequest(
                graph, run, question.gpu(), question.memory(), question.inUse(), question.limit());
        Prediction prediction = snapshot == null
                ? engine.predictor().apply(request)
                : engine.recorder().apply(request, snapshot);
        if (plot != null) {
            PlotFile.write(PlayedRun.of(request), plot);
        }
        prediction = withWarnings(prediction, scenario.withoutEffect(run));
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

    private static Prediction withWarnings(Prediction p, List<String> more) {
        if (more.isEmpty()) {
            return p;
        }
        List<String> all = new ArrayList<>(more);
        all.addAll(p.warnings());
        return p.withWarnings(all);
    }
}
