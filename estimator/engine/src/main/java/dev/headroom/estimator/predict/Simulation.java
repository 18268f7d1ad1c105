package dev.headroom.estimator.predict;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.DeviceMemory;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.estimator.cudnn.WorkspaceEnd;
import dev.headroom.estimator.cudnn.WorkspaceSources;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.program.Preparation;
import dev.headroom.estimator.program.Unmodelled;
import dev.headroom.estimator.runtime.Attribution;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/**
 * A run that was played to its end, or to where memory ran out.
 *
 * @param runtime with every event in its log
 * @param loop the training loop
 * @param prepared the graph that ran, under which scenario, and what was recomputed
 * @param phases the allocator at the end of each
 * @param phaseEnds events in the log at the end of each
 * @param peakPhase the number of the phase, in {@code phases}, in which allocated memory was first at its highest
 * @param firstForwardEvents events in the log when the first forward pass, or the loss after it, was done
 * @param oom {@code null} when the run got through
 */
public record Simulation(
        EagerRuntime runtime,
        TrainingLoop loop,
        PreparedRun prepared,
        List<PhaseMemory> phases,
        List<Integer> phaseEnds,
        int peakPhase,
        int firstForwardEvents,
        Unmodelled unmodelled,
        OutOfMemory oom) {

    /** Looks on while a run is played. */
    @FunctionalInterface
    public interface Watcher {
        /** Before anything is allocated; both can be asked at any later moment where the run has come to. */
        void begins(EagerRuntime runtime, TrainingLoop loop);
    }

    /**
     * Plays a run.
     *
     * @param device decides kernels and their scratch
     * @param memory that the allocator draws on
     * @param watcher told at the beginning
     * @throws dev.headroom.model.error.UserInputException for impossible input
     */
    public static Simulation play(
            Graph exported,
            Scenario run,
            DeviceModel device,
            AllocatorSettings settings,
            DeviceMemory memory,
            Watcher watcher) {
        return play(exported, run, device, settings, memory, WorkspaceEnd.FIRST, watcher);
    }

    /** As above, with convolutions that get other workspaces; what the run itself says of them comes first. */
    static Simulation play(
            Graph exported,
            Scenario run,
            DeviceModel device,
            AllocatorSettings settings,
            DeviceMemory memory,
            WorkspaceEnd end,
            Watcher watcher) {
        PreparedRun prepared = Preparation.of(exported, run);
        CachingAllocator allocator = new CachingAllocator(settings, memory);
        WorkspaceSources installed = WorkspaceSources.installed(
                new CudnnDevice(device.major(), device.minor(), device.sms()),
                run.kernels().cudnnWorkspace().source());
        WorkspaceSources convolutions = end == WorkspaceEnd.MOST ? installed.atMost() : installed;
        Long workspace = run.kernels().cudnnWorkspace().bytes() == null && end == WorkspaceEnd.NONE
                ? Long.valueOf(0)
                : run.kernels().cudnnWorkspace().bytes();
        EagerRuntime runtime = new EagerRuntime(
                allocator,
                device,
                new KernelOptions(
                        workspace,
                        convolutions,
                        run.kernels().attention(),
                        run.torch(),
                        run.kernels().cudnnBenchmark()));
        Unmodelled unmodelled = new Unmodelled();
        List<PhaseMemory> phases = new ArrayList<>();
        List<Integer> phaseEnds = new ArrayList<>();
        int[] peakPhase = {0};
        long[] highest = {-1};
        int[] forward = {0};
        TrainingLoop loop = new TrainingLoop(runtime, prepared, unmodelled, moment -> {
            PhaseMemory state = PhaseMemory.read(moment, allocator);
            if (state.maxAllocated() > highest[0]) {
                highest[0] = state.maxAllocated();
                peakPhase[0] = phases.size();
            }
            phases.add(state);
            phaseEnds.add(runtime.log().size());
            if (forward[0] == 0 && moment.phase() == Phase.FORWARD) {
                forward[0] = runtime.log().size();
            }
        });
        watcher.begins(runtime, loop);
        OutOfMemory oom = null;
        try {
            loop.play();
        } catch (OutOfMemoryException e) {
            Attribution who = runtime.attribution(runtime.requester());
            oom = new OutOfMemory(loop.moment(), who.module(), who.operator(), e.segment());
        }
        return new Simulation(runtime, loop, prepared, phases, phaseEnds, peakPhase[0], forward[0], unmodelled, oom);
    }

    /** Peak of allocated bytes. */
    public long maxAllocated() {
        return runtime.maxAllocated();
    }

    /** Peak of reserved bytes. */
    public long maxReserved() {
        return runtime.allocator().statistics().reservedBytes().peak();
    }
}
