package dev.headroom.estimator.checkpoint;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.program.Unmodelled;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a chain of modules takes. */
record PlayedChain(Map<Phase, Long> allocated, Map<Phase, Long> peaks, List<String> warnings) {
    /** Plays a run; bytes at the end of the phases of the last step. */
    static PlayedChain play(Graph graph, Scenario run) {
        CachingAllocator allocator =
                new CachingAllocator(AllocatorSettings.defaults(), new SimulatedDeviceMemory(1L << 40));
        EagerRuntime runtime =
                new EagerRuntime(allocator, new DeviceModel(9, 0, 132), new KernelOptions(0, Scenario.Attention.AUTO));
        Map<Phase, Long> allocated = new HashMap<>();
        Map<Phase, Long> peaks = new HashMap<>();
        TrainingLoop loop = new TrainingLoop(runtime, Preparation.of(graph, run), new Unmodelled(), moment -> {
            allocated.put(
                    moment.phase(), allocator.statistics().allocatedBytes().current());
            peaks.put(moment.phase(), allocator.statistics().allocatedBytes().peak());
        });
        loop.play();
        return new PlayedChain(allocated, peaks, loop.warnings());
    }
}
