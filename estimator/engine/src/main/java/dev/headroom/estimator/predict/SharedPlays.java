package dev.headroom.estimator.predict;

import dev.headroom.estimator.cudnn.WorkspaceEnd;
import dev.headroom.model.scenario.Scenario;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The runs of questions that differ in the card's memory alone. A run that reserves no more than there is never learns
 * how much there is: it is played once, with room for anything, and serves every card whose kernels are the same. Where
 * room is short, the run is played on that card, as its allocator gives cached blocks back and tries again.
 */
final class SharedPlays extends Plays {
    private @Nullable Simulation unbounded;
    private final Map<WorkspaceEnd, Simulation> ends = new ConcurrentHashMap<>();
    private final Map<Simulation, Long> least = Collections.synchronizedMap(new IdentityHashMap<>());
    private final IdentityHashMap<Simulation, List<LayerShare>> layers = new IdentityHashMap<>();

    /** Whether the amount of memory changes nothing of such runs before some of it is refused. */
    static boolean serves(Scenario asked) {
        // Settings of the allocator may go by shares of the memory.
        return EventTapes.isBlind(asked) && asked.allocConf().isBlank();
    }

    @Override
    Simulation run(PredictionRequest request) {
        Predictor.memory(request); // refuses a card of which nothing is free
        Simulation free = unbounded(request);
        return suits(free, request) ? free : super.run(request);
    }

    @Override
    Simulation unbounded(PredictionRequest request) {
        if (unbounded == null) {
            unbounded = super.unbounded(request);
        }
        return unbounded;
    }

    @Override
    Simulation run(PredictionRequest request, WorkspaceEnd end) {
        Simulation free = ends.computeIfAbsent(end, e -> super.run(request.unbounded(), e));
        return suits(free, request) ? free : super.run(request, end);
    }

    @Override
    Optional<Verdicts.Ending> withoutCudnn(PredictionRequest request, Simulation played, boolean least) {
        return Optional.empty(); // played once for all cards
    }

    @Override
    long least(PredictionRequest request, Simulation played) {
        return Objects.requireNonNull(least.computeIfAbsent(played, p -> super.least(request, p)));
    }

    @Override
    List<LayerShare> layers(Simulation run) {
        return Objects.requireNonNull(layers.computeIfAbsent(run, super::layers));
    }

    /** Whether a run would have been the same in the memory of a request. */
    private static boolean suits(Simulation free, PredictionRequest request) {
        Long room = Predictor.room(request);
        return room == null || free.oom() == null && free.mostReserved() <= room;
    }
}
