package dev.headroom.predict;

import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.cudnn.WorkspaceLevel;
import dev.headroom.cudnn.WorkspaceSource;
import dev.headroom.cudnn.WorkspaceSources;
import dev.headroom.device.ContextMemory;
import dev.headroom.execution.Unmodelled;
import dev.headroom.shadow.Category;
import dev.headroom.shadow.EventLog;
import dev.headroom.shadow.Runtime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Reads a prediction off a run that was played. */
final class Summaries {
    private Summaries() {}

    static Prediction of(PredictionRequest request, Simulation run) {
        Runtime runtime = run.runtime();
        EventLog log = runtime.log();
        Category[] alive = log.aliveAfter(runtime.eventsAtPeak());
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
        Long total = Predictor.total(request);
        return new Prediction(
                request.graph().name(),
                request.run(),
                total == null ? null : new Prediction.Device(request.gpu(), total, request.inUse(), request.limit()),
                run.phases(),
                peak(request, run),
                atPeak,
                rounding,
                runtime.reservedAtPeak() - runtime.maxAllocated(),
                LayerTable.of(run, log.aliveAfter(run.firstForwardEvents()), alive),
                verdict(request, run, total),
                run.oom(),
                convolutions(runtime.options().convolutions()),
                warnings(request, run),
                gaps(run.unmodelled()));
    }

    private static Prediction.Peak peak(PredictionRequest request, Simulation run) {
        long reserved = run.runtime().allocator().statistics().reservedBytes().peak();
        boolean cut = run.oom() != null || run.phases().isEmpty();
        PhaseState where = cut ? null : run.phases().get(run.peakPhase());
        return new Prediction.Peak(
                run.runtime().maxAllocated(),
                reserved,
                reserved + Predictor.context(request),
                where == null ? run.loop().phase() : where.phase(),
                where == null ? run.loop().step() : where.step());
    }

    private static Prediction.Verdict verdict(PredictionRequest request, Simulation run, Long total) {
        Simulation whole = run.oom() == null ? run : unlimited(request);
        long context = Predictor.context(request);
        MinimumMemory least = new MinimumMemory(
                whole.runtime().log(),
                Predictor.settings(new PredictionRequest(
                        request.graph(), request.run(), request.gpu(), request.memory(), 0, null)));
        Long minimum = whole.oom() != null
                ? null
                : Long.valueOf(context
                        + least.bytes(
                                whole.runtime().maxAllocated(),
                                whole.runtime()
                                        .allocator()
                                        .statistics()
                                        .reservedBytes()
                                        .peak()));
        if (total == null && request.limit() == null) {
            return new Prediction.Verdict(run.oom() == null ? null : Boolean.FALSE, null, null, minimum);
        }
        long room = total == null ? Long.MAX_VALUE : total - request.inUse();
        if (request.limit() != null) {
            room = Math.min(room, request.limit() + context);
        }
        long reserved = run.runtime().allocator().statistics().reservedBytes().peak();
        Long headroom = room - reserved - context;
        if (run.oom() != null) {
            headroom = minimum == null ? null : Long.valueOf(Math.min(room - minimum, -1));
        }
        return new Prediction.Verdict(run.oom() == null, headroom, null, minimum);
    }

    /** The same run with room for anything. */
    private static Simulation unlimited(PredictionRequest request) {
        return Simulation.play(
                request.graph(),
                request.run(),
                Predictor.device(request),
                Predictor.settings(new PredictionRequest(
                        request.graph(), request.run(), request.gpu(), request.memory(), 0, null)),
                new SimulatedDeviceMemory(Predictor.UNBOUNDED),
                (runtime, loop) -> {});
    }

    private static List<String> warnings(PredictionRequest request, Simulation run) {
        List<String> out = new ArrayList<>(request.graph().held().notes());
        out.addAll(run.loop().warnings());
        if (request.gpu() == null) {
            out.add("no GPU named: kernels and library workspaces are those of compute capability 9.0 with 132"
                    + " multiprocessors, and CUDA's context is not counted; name one with --gpu");
        } else if (!ContextMemory.measured(request.gpu())) {
            out.add("CUDA's context is counted with a typical " + ContextMemory.bytes(request.gpu()) / 1_000_000
                    + " MB; no measured figure for this GPU is known");
        }
        int unknown = run.runtime().options().convolutions().answered().getOrDefault(WorkspaceSources.UNKNOWN, 0);
        if (unknown > 0) {
            out.add("the workspaces of " + unknown
                    + " cuDNN convolutions are not known and counted as zero: install cuDNN"
                    + " 9.8 or newer (pip install nvidia-cudnn-cu13), or pass --cudnn-workspace SIZE");
        }
        return out;
    }

    private static Prediction.Convolutions convolutions(WorkspaceSources sources) {
        Map<String, Integer> answered = sources.answered();
        if (answered.isEmpty()) {
            return null;
        }
        String source = Arrays.stream(WorkspaceLevel.values())
                .filter(level -> answered.containsKey(level.label()))
                .findFirst()
                .flatMap(sources::source)
                .map(WorkspaceSource::description)
                .orElse("");
        return new Prediction.Convolutions(answered, source);
    }

    private static List<Prediction.Unmodelled> gaps(Unmodelled unmodelled) {
        List<Prediction.Unmodelled> gaps = new ArrayList<>();
        unmodelled.counts().forEach((op, n) -> gaps.add(new Prediction.Unmodelled(op, n)));
        return gaps;
    }
}
