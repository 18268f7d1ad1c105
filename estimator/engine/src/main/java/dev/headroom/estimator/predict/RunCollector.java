package dev.headroom.estimator.predict;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.loop.PhaseListener;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.program.ModelTensors;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.OutOfMemory;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.run.PreparedRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reads memory phase by phase while a run is played, and finishes into what is left of the run. */
final class RunCollector implements PhaseListener {
    private final EagerRuntime runtime;
    private final CollectiveLog collectives;
    private final List<PhaseMemory> phases = new ArrayList<>();
    private final List<Integer> ends = new ArrayList<>();

    /** @param collectives are added to it phase by phase as the run is played */
    RunCollector(EagerRuntime runtime, CollectiveLog collectives) {
        this.runtime = runtime;
        this.collectives = collectives;
    }

    @Override
    public void ended(Moment phase) {
        phases.add(PhaseMemory.read(phase, runtime.allocator()));
        ends.add(runtime.log().size());
    }

    /** @param end {@code null} when the run got through */
    Simulation finish(PreparedRun prepared, TrainingLoop loop, OutOfMemoryException end) {
        CachingAllocator allocator = runtime.allocator();
        return new Simulation(
                prepared,
                allocator.settings(),
                new PhaseHistory(List.copyOf(phases), List.copyOf(ends)),
                runtime.log(),
                runtime.attributions(),
                new MemoryPeak(
                        runtime.maxAllocated(),
                        runtime.eventsAtPeak(),
                        runtime.reservedAtPeak(),
                        allocator.statistics().reservedBytes().peak()),
                loop.model() == null ? List.of() : parameters(loop.model(), loop.optimizer()),
                loop.nodeRuns(),
                runtime.options().convolutions().asked(),
                Collections.unmodifiableMap(loop.unmodelled()),
                collectives.phases(),
                end == null ? null : failure(loop.moment(), end));
    }

    private Failure failure(Moment moment, OutOfMemoryException end) {
        Attribution who = runtime.attribution(runtime.requester());
        return new Failure(
                new OutOfMemory(moment, who.module(), who.operator(), end.segment()), who, runtime.eventsAtFailure());
    }

    private static List<ParameterMemory> parameters(ModelTensors model, Optimizer optimizer) {
        List<ParameterMemory> out = new ArrayList<>();
        for (int i = 0; i < model.parameters().size(); i++) {
            Tensor p = model.parameters().get(i);
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
