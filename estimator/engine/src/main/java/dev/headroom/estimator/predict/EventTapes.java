package dev.headroom.estimator.predict;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.estimator.cudnn.WorkspaceEnd;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.memo.GraphMemo;
import dev.headroom.model.memo.Recent;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.Scenario;
import java.util.Optional;
import java.util.function.Supplier;

/** The last few tapes of every graph. */
final class EventTapes {
    /** A prediction plays up to three ends of what is uncertain, and an advice goes back and forth between few runs. */
    private static final int KEPT = 6;

    private static final GraphMemo<Recent<Key, EventTape>> LAST = new GraphMemo<>(graph -> new Recent<>(KEPT));

    /** All that events depend on beside the graph. */
    private record Key(Scenario scenario, DeviceModel device, WorkspaceEnd end) {}

    private final Recent<Key, EventTape> tapes;
    private final Key key;
    private final Scenario asked;

    private EventTapes(Graph graph, Scenario asked, DeviceModel device, WorkspaceEnd end) {
        this.tapes = LAST.of(graph);
        this.key = new Key(onAny(asked), device, end);
        this.asked = asked;
    }

    /** Those of a run; empty for one that is not blind. */
    static Optional<EventTapes> of(Graph graph, Scenario asked, DeviceModel device, WorkspaceEnd end) {
        return isBlind(asked) ? Optional.of(new EventTapes(graph, asked, device, end)) : Optional.empty();
    }

    /**
     * Whether a run of one process on one GPU never looks how much memory there is, as loading quantised weights onto
     * devices does.
     */
    static boolean isBlind(Scenario asked) {
        return asked.parallel().kind() == ParallelKind.SINGLE && !asked.quant().any();
    }

    private static Scenario onAny(Scenario asked) {
        return asked.withDevice(asked.device().unknown()).withAllocConf("");
    }

    /** The run on a fresh allocator, when there is a tape of it and no request is refused. */
    Optional<Simulation> play(Supplier<CachingAllocator> fresh) {
        EventTape tape = tapes.find(key);
        return tape == null ? Optional.empty() : tape.on(fresh.get(), asked);
    }

    /** Keeps a run that was played, if it can be played again. */
    void keep(Simulation run) {
        EventTape.of(run).ifPresent(tape -> tapes.put(key, tape));
    }
}
