package dev.headroom.estimator.predict;

import dev.headroom.estimator.cudnn.AskedConvolutions;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.model.cudnn.WorkspaceSource;
import dev.headroom.model.deepspeed.DeepSpeedConfig;
import dev.headroom.model.graph.SymbolBinding;
import dev.headroom.model.memo.GraphMemo;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.ZeroOptions;
import dev.headroom.model.rewrite.ModelMode;
import dev.headroom.model.run.Moment;
import dev.headroom.model.scenario.OptimizerKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a prediction off a run that was played. */
final class Summaries {
    private static final GraphMemo<Optional<Boolean>> TRAINING = new GraphMemo<>(ModelMode::training);

    private Summaries() {}

    static Prediction of(PredictionRequest request, Simulation run, Plays plays) {
        List<DeviceMemory> devices =
                run.devices().stream().map(d -> device(request, run, d)).toList();
        DeviceMemory first = devices.get(0);
        Long total = request.device().total();
        Verdicts verdicts = new Verdicts(request, run, plays);
        Prediction.Verdict verdict = verdicts.verdict();
        List<String> warnings = warnings(request, run);
        Fragmentation.line(request, verdict, plays).ifPresent(warnings::add);
        return new Prediction(
                request.graph().name(),
                request.scenario(),
                total == null
                        ? null
                        : new Prediction.Device(
                                request.device().gpu(),
                                total,
                                request.device().inUse(),
                                request.device().limit()),
                run.phases(),
                first.peak(),
                first.atPeak(),
                first.rounding(),
                first.cachedFree(),
                plays.layers(run),
                verdict,
                run.oom(),
                convolutions(run.convolutions()),
                warnings,
                gaps(run.unmodelled()),
                verdicts.certainty(),
                request.scenario().parallel().kind() == ParallelKind.SINGLE ? List.of() : run.collectives(),
                List.of(),
                devices.size() == 1 ? List.of() : devices);
    }

    /** The peaks of the first GPU of the process. */
    static Prediction.Peak peak(PredictionRequest request, Simulation run) {
        return peak(request, run, run.devices().get(0));
    }

    private static Prediction.Peak peak(PredictionRequest request, Simulation run, DeviceRun device) {
        long reserved = device.peak().reserved();
        Moment moment = run.oom() != null
                ? run.oom().moment()
                : device.history().ofPeak().moment();
        return new Prediction.Peak(
                device.peak().allocated(), reserved, reserved + Predictor.context(request), moment.inStep());
    }

    private static DeviceMemory device(PredictionRequest request, Simulation run, DeviceRun device) {
        EventLog log = device.log();
        Category[] alive = log.aliveAfter(device.peak().events());
        Map<Category, Long> atPeak = new EnumMap<>(Category.class);
        for (Category c : Category.values()) {
            atPeak.put(c, 0L);
        }
        long rounding = 0;
        for (int i = 0; i < alive.length; i++) {
            if (alive[i] != null) {
                atPeak.merge(alive[i], log.requested(i), Long::sum);
                rounding += log.rounded(i) - log.requested(i);
            }
        }
        return new DeviceMemory(
                device.device(),
                device.phases(),
                peak(request, run, device),
                atPeak,
                rounding,
                device.peak().reservedThen() - device.peak().allocated());
    }

    private static List<String> warnings(PredictionRequest request, Simulation run) {
        List<String> out = new ArrayList<>(run.prepared().graph().held().notes());
        String deepSpeed = request.scenario().parallel().zero().dsConfig();
        if (!deepSpeed.equals(ZeroOptions.DEFAULTS.dsConfig())) {
            out.addAll(DeepSpeedConfig.parse(deepSpeed).warnings());
        }
        parallel(request.scenario().parallel()).ifPresent(out::add);
        int lost = run.nodes().checkpointsWithoutGradients();
        if (lost > 0) {
            out.add("re-entrant checkpointing: in " + lost + " checkpoint" + (lost == 1 ? "" : "s")
                    + " none of the inputs requires a gradient, so that the parameters there get none and are not"
                    + " trained (PyTorch warns of it, too); take `reentrant=false`, or `input_grad`");
        }
        mode(request).ifPresent(out::add);
        List<String> batches = SymbolBinding.alsoBatch(
                request.graph(), request.scenario().sizes().dims());
        if (!batches.isEmpty() && request.graph().loop() == null) {
            out.add("`batch` is taken for the open size of " + String.join(", ", batches) + " as well; pass `dims="
                    + batches.get(0) + "=N` if that is another");
        }
        if (request.device().gpu() == null) {
            out.add("no GPU named: kernels and library workspaces are those of compute capability 9.0 with 132"
                    + " multiprocessors, and CUDA's context is not counted; name one with `gpu`");
        }
        if (request.scenario().optimizer().kind() == OptimizerKind.SPARSE_ADAM) {
            out.add("SparseAdam: the rows that a batch names are taken to be distinct, an upper bound of its steps");
        }
        if (request.scenario().optimizer().kind() == OptimizerKind.LBFGS) {
            out.add("LBFGS: steps are taken to move max_iter times without converging, and every move to be remembered;"
                    + " a line search is not modelled");
        }
        int unknown = run.convolutions().unknown();
        if (unknown > 0) {
            out.add("the workspaces of " + unknown
                    + " cuDNN convolutions are not known and counted as zero: install cuDNN"
                    + " 9.8 or newer (pip install nvidia-cudnn-cu13), or pass `cudnn_workspace=SIZE`");
        }
        if (request.scenario().kernels().cudnnBenchmark() && run.convolutions().guessed() > 0) {
            out.add("`cudnn_benchmark` tries every plan of a convolution once: what those ask for that are not"
                    + " taken is not known without cuDNN, and the first step can need twice as much as the later"
                    + " ones; install cuDNN 9.8 or newer (pip install nvidia-cudnn-cu13)");
        }
        return out;
    }

    private static Optional<String> parallel(Parallelism parallel) {
        String kind = "`parallel=" + parallel.kind().option() + "`";
        if (parallel.kind() != ParallelKind.SINGLE && parallel.world() == 1) {
            return Optional.of(kind + " is played on one GPU: name the number of GPUs with `world=N`");
        }
        return parallel.kind() == ParallelKind.MP && parallel.pipeline().microbatches() > 1
                ? Optional.of(
                        kind + " `microbatches`: autograd has a thread a device, and in backward passes they race;"
                                + " played are threads that take turns, and real runs differ by a few MiB")
                : Optional.empty();
    }

    /** What to say of an archive whose mode is not that of the run. */
    private static Optional<String> mode(PredictionRequest request) {
        boolean trains = !request.scenario().loop().inference();
        boolean archive = !request.graph().held().loaded();
        return TRAINING.of(request.graph())
                .filter(training -> archive && training != trains)
                .map(training -> training
                        ? "the archive was exported in training mode: dropout and batch normalisation are played as"
                                + " after model.eval(), what forward() does only in training stays; export it"
                                + " after model.eval()"
                        : "the archive was exported in evaluation mode: dropout and batch normalisation are played as"
                                + " there; export it after model.train(), or pass `inference`");
    }

    private static Prediction.@Nullable Convolutions convolutions(AskedConvolutions asked) {
        if (asked.answered().isEmpty()) {
            return null;
        }
        String source = asked.surest().map(WorkspaceSource::description).orElse("");
        return new Prediction.Convolutions(asked.answered(), source);
    }

    private static List<Prediction.Unmodelled> gaps(Map<String, Integer> unmodelled) {
        List<Prediction.Unmodelled> gaps = new ArrayList<>();
        unmodelled.forEach((op, n) -> gaps.add(new Prediction.Unmodelled(op, n)));
        return gaps;
    }
}
