package dev.headroom.estimator.predict;

import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.loop.PhaseListener;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.program.source.CustomFunctions;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.LoggedMemory;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads memory phase by phase while a run is played, and finishes into what is left of the run. */
final class RunCollector implements PhaseListener {
    private final EagerRuntime runtime;
    private final CollectiveLog collectives;

    /** By device. */
    private final List<List<PhaseMemory>> phases = new ArrayList<>();

    private final List<List<Integer>> ends = new ArrayList<>();

    /** @param collectives are added to it phase by phase as the run is played */
    RunCollector(EagerRuntime runtime, CollectiveLog collectives) {
        this.runtime = runtime;
        this.collectives = collectives;
        for (int d = 0; d < runtime.devices().count(); d++) {
            phases.add(new ArrayList<>());
            ends.add(new ArrayList<>());
        }
    }

    @Override
    public void ended(Moment phase) {
        for (int d = 0; d < runtime.devices().count(); d++) {
            LoggedMemory memory = runtime.devices().memory(d);
            phases.get(d).add(PhaseMemory.read(phase, memory.allocator()));
            ends.get(d).add(memory.log().size());
        }
    }

    /** @param end {@code null} when the run got through */
    Simulation finish(PreparedRun prepared, TrainingLoop loop, @Nullable OutOfMemoryException end) {
        List<DeviceRun> devices = IntStream.range(0, runtime.devices().count())
                .mapToObj(d -> device(d, end == null))
                .toList();
        return new Simulation(
                prepared,
                runtime.devices().memory(0).allocator().settings(),
                devices,
                runtime.attributions(),
                loop.hasModel() ? parameters(loop.model(), loop.optimizer()) : List.of(),
                loop.nodeRuns(),
                Objects.requireNonNull(runtime.options().convolutions()).asked(),
                unmodelled(prepared, loop),
                collectives.phases(),
                runtime.devices().paged(),
                end == null && isRepeatable(prepared.scenario()),
                end == null ? null : failure(loop.moment(), end));
    }

    /** A run that did without something it was refused may get it elsewhere. */
    private boolean isRepeatable(Scenario run) {
        LoggedMemory memory = runtime.devices().memory(0);
        boolean refused = memory.eventsAtFailure() >= 0;
        return EventTapes.isBlind(run)
                && runtime.devices().count() == 1
                && !refused
                && memory.allocator().interventions() == 0;
    }

    /** Operators without a rule, and functions of which the graph holds the forward pass alone. */
    private static Map<String, Integer> unmodelled(PreparedRun prepared, TrainingLoop loop) {
        Map<String, Integer> calls = new TreeMap<>(loop.unmodelled());
        if (!prepared.scenario().loop().inference()) {
            CustomFunctions.of(prepared.graph()).forEach((name, n) -> calls.put("autograd.Function " + name, n));
        }
        return Collections.unmodifiableMap(calls);
    }

    private DeviceRun device(int d, boolean through) {
        LoggedMemory memory = runtime.devices().memory(d);
        return new DeviceRun(
                d,
                new PhaseHistory(List.copyOf(phases.get(d)), List.copyOf(ends.get(d))),
                memory.log(),
                MemoryPeak.of(memory.highest(), memory.allocator()),
                through || memory.eventsAtFailure() < 0 ? memory.log().size() : memory.eventsAtFailure());
    }

    private Failure failure(Moment moment, OutOfMemoryException end) {
        LoggedMemory memory = Objects.requireNonNull(runtime.devices().failed(), "a device that failed");
        Attribution who = runtime.attribution(memory.requester());
        Integer number = runtime.devices().count() == 1 ? null : Integer.valueOf(memory.device());
        return new Failure(
                new OutOfMemory(moment, who.module(), who.operator(), end.segment(), number),
                who,
                memory.eventsAtFailure());
    }

    /** Those on the first GPU. */
    private List<ParameterMemory> parameters(ModelTensors model, @Nullable Optimizer optimizer) {
        List<ParameterMemory> out = new ArrayList<>();
        for (int i = 0; i < model.parameters().size(); i++) {
            Tensor p = model.parameters().get(i);
            if (runtime.devices().of(p) != 0) {
                continue;
            }
            List<Tensor> state = optimizer == null ? List.of() : optimizer.state(i);
            out.add(new ParameterMemory(
                    model.parameterNames().get(i),
                    p.nbytes(),
                    p.requiresGrad(),
                    p.grad() == null ? -1 : p.grad().storage().number(),
                    state.stream()
                            .map(t -> new ParameterMemory.State(t.storage().number(), t.nbytes()))
                            .toList()));
        }
        return out;
    }
}
