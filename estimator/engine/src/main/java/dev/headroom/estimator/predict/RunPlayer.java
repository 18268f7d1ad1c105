package dev.headroom.estimator.predict;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.DeviceMemory;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.estimator.cudnn.WorkspaceEnd;
import dev.headroom.estimator.cudnn.WorkspaceSources;
import dev.headroom.estimator.feed.CompiledPasses;
import dev.headroom.estimator.feed.Evaluation;
import dev.headroom.estimator.feed.Feeder;
import dev.headroom.estimator.loading.Loading;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.PreparedRuns;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.parallel.RankRun;
import dev.headroom.estimator.parallel.Strategies;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.KernelOptions;
import dev.headroom.estimator.script.ScriptLoop;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.run.AccelerateDefaults;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Plays one run in a process of its own.
 *
 * @param device decides kernels and their scratch
 * @param settings of the allocator
 * @param memory makes what an allocator draws on, a fresh one for each GPU of a process
 * @param end which workspaces convolutions get where the scenario does not say
 * @param watcher looks on
 * @param regime what is done around the phases of the loop
 * @param repeats whether what was played before is played from its events: a step that begins as the one before, a run
 *     on another device
 */
public record RunPlayer(
        DeviceModel device,
        AllocatorSettings settings,
        Supplier<? extends DeviceMemory> memory,
        WorkspaceEnd end,
        RunWatcher watcher,
        List<LoopHook> regime,
        boolean repeats) {

    /** A player of plain runs that nobody looks at. */
    public RunPlayer(DeviceModel device, AllocatorSettings settings, Supplier<? extends DeviceMemory> memory) {
        this(device, settings, memory, WorkspaceEnd.FIRST, (allocator, place) -> {}, List.of(), true);
    }

    /** The same, with convolutions that get other workspaces. */
    RunPlayer with(WorkspaceEnd other) {
        return new RunPlayer(device, settings, memory, other, watcher, regime, repeats);
    }

    /** The same, with somebody looking on: operator by operator. */
    public RunPlayer with(RunWatcher other) {
        return new RunPlayer(device, settings, memory, end, other, regime, false);
    }

    /** The same under a regime. */
    public RunPlayer with(List<LoopHook> other) {
        return new RunPlayer(device, settings, memory, end, watcher, other, repeats);
    }

    /** The same, which plays every step operator by operator. */
    public RunPlayer interpreting() {
        return new RunPlayer(device, settings, memory, end, watcher, regime, false);
    }

    /**
     * Plays a run to its end, or to where memory runs out.
     *
     * @throws dev.headroom.model.error.UserInputException for impossible input
     */
    public Simulation play(Graph imported, Scenario scenario) {
        return play(new PreparedRuns(imported), scenario);
    }

    /** As {@link #play(Graph, Scenario)}, of a model whose runs may have been made ready before. */
    Simulation play(PreparedRuns runs, Scenario asked) {
        Optional<EventTapes> tapes =
                repeats && regime.isEmpty() ? EventTapes.of(runs.imported(), asked, device, end) : Optional.empty();
        return tapes.flatMap(known -> known.play(this::allocator)).orElseGet(() -> run(runs, asked, tapes));
    }

    private CachingAllocator allocator() {
        return new CachingAllocator(settings, memory.get());
    }

    private Simulation run(PreparedRuns runs, Scenario asked, Optional<EventTapes> tapes) {
        Scenario scenario = AccelerateDefaults.spread(asked);
        PreparedRun prepared = runs.of(scenario);
        RankRun rank = Strategies.of(runs, scenario);
        List<CachingAllocator> allocators = Stream.generate(this::allocator)
                .limit(scenario.parallel().devices())
                .toList();
        EagerRuntime runtime = new EagerRuntime(allocators, device, options(scenario));
        List<LoopHook> hooks = new ArrayList<>(regime);
        hooks.addAll(ScriptLoop.of(runs.imported(), scenario));
        hooks.addAll(Feeder.of(runs.imported(), scenario));
        hooks.addAll(CompiledPasses.of(runs.imported(), scenario));
        hooks.addAll(Evaluation.of(runs.imported(), scenario));
        hooks.addAll(Loading.of(runs.imported(), scenario));
        hooks.addAll(rank.hooks());
        if (scenario.parallel().events() == Parallelism.Events.LAZY) {
            allocators.forEach(CachingAllocator::deviceLags);
        }
        RunCollector collector = new RunCollector(runtime, rank.collectives());
        TrainingLoop loop = new TrainingLoop(runtime, prepared, hooks, collector);
        if (!repeats) {
            loop.repeats().interpretAll();
        }
        watcher.begins(runtime.allocator(), new Position(runtime, loop));
        try {
            loop.play();
            Simulation done = collector.finish(prepared, loop, null);
            tapes.ifPresent(known -> known.keep(done));
            return done;
        } catch (OutOfMemoryException e) {
            if (loop.repeats().isRepeating()) {
                return interpreting().play(runs, asked);
            }
            return collector.finish(prepared, loop, e);
        }
    }

    private KernelOptions options(Scenario scenario) {
        CudnnWorkspace asked = scenario.kernels().cudnnWorkspace();
        WorkspaceSources installed = WorkspaceSources.installed(
                new CudnnDevice(device.major(), device.minor(), device.sms()), asked, scenario.cudnnVersion());
        boolean none = asked.bytes() == null && end == WorkspaceEnd.NONE;
        return new KernelOptions(
                none ? Long.valueOf(0) : asked.bytes(),
                end == WorkspaceEnd.MOST ? installed.atMost() : installed,
                scenario.kernels().attention(),
                scenario.torch(),
                scenario.kernels().cudnnBenchmark(),
                scenario.kernels().deterministic(),
                scenario.cudnnVersion(),
                scenario.parallel().build() == Parallelism.Build.ZERO_INIT,
                !asked.isOfCudnn(),
                !scenario.kernels().compileTuned());
    }

    private record Position(EagerRuntime runtime, TrainingLoop loop) implements RunWatcher.Place {
        @Override
        public Moment moment() {
            return loop.moment();
        }

        @Override
        public Attribution running() {
            return runtime.attribution(runtime.attribution());
        }
    }
}
