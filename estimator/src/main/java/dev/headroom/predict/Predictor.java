package dev.headroom.predict;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.device.Gpu;
import dev.headroom.execution.TrainingLoop;
import dev.headroom.execution.Unmodelled;
import dev.headroom.graph.Graph;
import dev.headroom.graph.SymbolBinding;
import dev.headroom.restore.SkippedMasks;
import dev.headroom.shadow.Attribution;
import dev.headroom.shadow.DeviceModel;
import dev.headroom.shadow.KernelOptions;
import dev.headroom.shadow.Runtime;
import dev.headroom.training.TrainingRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The library's entry: answers a {@link PredictionRequest}. */
public final class Predictor {
    /** Stands for a device with room for anything. */
    private static final long UNBOUNDED = 1L << 50;

    private Predictor() {}

    /**
     * Plays the run.
     *
     * @throws dev.headroom.graph.GraphException for impossible input, with a message for the user
     */
    public static Prediction predict(PredictionRequest request) {
        TrainingRun run = request.run();
        Map<String, Long> symbols = SymbolBinding.bind(request.graph(), run.batch, run.dims);
        Graph graph = SkippedMasks.restore(request.graph(), symbols);
        Gpu gpu = request.gpu();
        DeviceModel device =
                gpu == null ? new DeviceModel(9, 0, 132) : new DeviceModel(gpu.major(), gpu.minor(), gpu.sms());
        Long total = request.memory() != null ? request.memory() : gpu == null ? null : Long.valueOf(gpu.memory());
        AllocatorSettings settings = AllocatorSettings.parse(run.allocConf);
        if (request.limit() != null) {
            settings = settings.withLimitBytes(request.limit());
        }
        CachingAllocator allocator = new CachingAllocator(
                settings, new SimulatedDeviceMemory(total == null ? UNBOUNDED : total, request.inUse()));
        long workspace = run.cudnnWorkspace == null ? 0 : run.cudnnWorkspace;
        Runtime runtime = new Runtime(allocator, device, new KernelOptions(workspace, run.attention));
        Unmodelled unmodelled = new Unmodelled();
        List<PhaseState> phases = new ArrayList<>();
        TrainingLoop loop = new TrainingLoop(
                runtime,
                graph,
                run,
                symbols,
                unmodelled,
                (phase, step, micro) -> phases.add(state(allocator, phase, step, micro)));
        Prediction.Oom oom = null;
        try {
            loop.play();
        } catch (OutOfMemoryException e) {
            Attribution who = runtime.attribution(runtime.attribution());
            oom = new Prediction.Oom(loop.phase(), loop.step(), who.module(), who.operator(), e.segment());
        }
        return Summaries.of(request, runtime, loop, phases, oom, unmodelled, total);
    }

    private static PhaseState state(CachingAllocator allocator, String phase, Integer step, Integer micro) {
        var s = allocator.statistics();
        return new PhaseState(
                phase,
                step,
                micro,
                s.allocatedBytes().current(),
                s.reservedBytes().current(),
                s.allocatedBytes().peak(),
                s.reservedBytes().peak());
    }
}
