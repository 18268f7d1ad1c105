package dev.headroom.app.measure;

import static dev.headroom.model.scenario.ParallelSettings.RANK;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.GPU;

import dev.headroom.app.command.ExitStatus;
import dev.headroom.app.command.Progress;
import dev.headroom.app.command.Subcommand;
import dev.headroom.app.option.DeviceOptions;
import dev.headroom.app.option.ScenarioOptions;
import dev.headroom.app.words.Door;
import dev.headroom.estimator.predict.Prediction;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.executor.measure.BackendProvider;
import dev.headroom.executor.measure.Backends;
import dev.headroom.executor.measure.Measurement;
import dev.headroom.executor.measure.MeasurementRequest;
import dev.headroom.executor.measure.Measurer;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headroom measure}: runs the model and puts what it took beside the prediction. */
@Command(
        name = "measure",
        description = "Runs a training run and compares its memory with the prediction.",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Exit status: 0 the run got through, 3 it ran out of memory, 2 bad input, 1 a defect of Headroom; with"
                    + " --strict, a difference between prediction and measurement counts as a defect."
        })
public final class MeasureCommand implements Subcommand {
    private static final long SEED = 1;

    /** Its properties decide when no card is named: as for a prediction, an H200's. */
    private static final String NOMINAL = "h200";

    /** Stands for a device with room for anything. */
    private static final long PLENTY = 4L << 40;

    @Spec
    CommandSpec spec;

    @Parameters(
            paramLabel = "MODEL",
            description =
                    "A .pt2 archive of torch.export, a config.json of transformers, or a name that headroom models"
                            + " lists.")
    Path model = Path.of("");

    @Option(
            names = "--backend",
            paramLabel = "NAME",
            description = "cuda (default with a GPU), host (plain Java; default without) or none (memory only).")
    @Nullable
    String backend;

    @Mixin
    ScenarioOptions scenario = new ScenarioOptions();

    @Mixin
    DeviceOptions device = new DeviceOptions();

    @Option(names = "--json", description = "One JSON object on standard output.")
    boolean json;

    @Option(names = "--strict", description = "A difference ends with exit status 1.")
    boolean strict;

    private BackendProvider provider() {
        try {
            return Backends.choose(backend);
        } catch (UserInputException e) {
            throw new UserInputException("--backend: " + e.getMessage(), e);
        }
    }

    @Override
    public Integer call() {
        Scenario run = device.on(scenario.toRecorded());
        BackendProvider provider = provider();
        Refusals.check(run, provider);
        if (!provider.isDevice()) {
            run = run.with(CUDNN_WORKSPACE, CudnnWorkspace.NONE); // no cuDNN runs there that could want one
        }
        Graph graph = Importers.read(model, run);
        if (provider.isDevice()) {
            run = run.with(GPU, provider.card().orElse(null));
        }
        Gpu card = run.device().gpu();
        PredictionRequest question = new PredictionRequest(graph, run);
        Prediction prediction = Predictor.predict(question);
        if (provider.computes() && !provider.isDevice()) {
            HostHeap.check(
                    graph,
                    run,
                    prediction.peak().reserved() * run.parallel().world(),
                    Runtime.getRuntime().maxMemory());
        }
        RankComparisons ranks = compare(measure(provider, question, prediction), question, prediction);
        Comparison comparison = ranks.comparison();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            MeasureJson.write(ranks, provider.computes(), out);
        } else {
            String about = about(provider, card);
            boolean several = run.parallel().kind() != ParallelKind.SINGLE;
            MeasureReport.write(comparison, several ? about + "\n" + ranks.words() : about, out);
        }
        out.flush();
        warn(run, spec.commandLine().getErr());
        if (strict && !ranks.equal()) {
            return ExitStatus.DEFECT;
        }
        return comparison.measured().oom() == null ? ExitStatus.OK : ExitStatus.DOES_NOT_FIT;
    }

    /** The ranks of a run; one where a rank was named, or there is one GPU. */
    private static RankComparisons compare(
            List<Measurement> measured, PredictionRequest question, Prediction prediction) {
        if (question.scenario().parallel().kind() == ParallelKind.SINGLE) {
            return new RankComparisons(Map.of(0, Comparison.of(prediction, measured.get(0))));
        }
        Integer named = question.scenario().parallel().rank();
        Map<Integer, Comparison> out = new TreeMap<>();
        for (int rank = 0; rank < measured.size(); rank++) {
            if (named == null || named == rank) {
                Scenario run = question.scenario().with(RANK, rank);
                Prediction own = Predictor.predict(new PredictionRequest(question.graph(), run));
                out.put(rank, Comparison.of(own, measured.get(rank)));
            }
        }
        return new RankComparisons(out);
    }

    private static List<Measurement> measure(
            BackendProvider provider, PredictionRequest question, Prediction prediction) {
        Gpu gpu = question.device().gpu() == null
                ? GpuCatalogue.find(NOMINAL).orElseThrow()
                : question.device().gpu();
        long total = prediction.device() == null ? PLENTY : prediction.device().memory();
        // What a prediction sets aside for the context, so that the same is left for both.
        long context = prediction.peak().device() - prediction.peak().reserved();
        MeasurementRequest request =
                new MeasurementRequest(question.graph(), question.scenario().with(GPU, gpu), SEED, provider.computes());
        long phases = (long) prediction.phases().size()
                * question.scenario().parallel().world();
        AtomicLong ended = new AtomicLong();
        try (Progress progress = Progress.of("measure")) {
            return Measurer.measureRanks(
                    request,
                    rank -> provider.open(total, question.device().inUse() + context),
                    phase -> progress.at(ended.incrementAndGet(), phases));
        }
    }

    private static String about(BackendProvider provider, @Nullable Gpu card) {
        if (provider.isDevice()) {
            return "backend " + provider.name() + ": computed on "
                    + (card == null ? "this machine's GPU" : card.title());
        }
        String nominal = card == null ? NOMINAL : card.name();
        return "backend " + provider.name() + ": "
                + (provider.computes() ? "computed in plain Java" : "nothing is computed")
                + ";\nmemory as on a nominal " + nominal + ", without cuDNN's workspaces";
    }

    private void warn(Scenario run, PrintWriter err) {
        List<String> lines = scenario.withoutEffect(run);
        lines.forEach(line -> err.println("headroom: warning: " + Door.here().tell(line)));
        err.flush();
    }
}
