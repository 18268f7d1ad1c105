package dev.headroom.advisor.serving;

import static dev.headroom.model.scenario.ModelSettings.SEQ;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.advisor.serving.Capacity.Row;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Finds out how many requests of {@code generate()} fit on a card at once. Each answer is a run that was played to its
 * end, next to one that was not.
 */
public final class ServeCapacity {
    /** Lengths of a single request are told apart by so many tokens. */
    public static final long LENGTHS = 64;

    private static final long MOST = 1L << 20;

    private final Function<Scenario, Graph> reader;
    private final Scenario asked;
    private final long room;

    /**
     * @param reader writes the model of a scenario
     * @param asked generates on a card
     * @param room bytes that the allocator can reserve there
     */
    public ServeCapacity(Function<Scenario, Graph> reader, Scenario asked, long room) {
        this.reader = reader;
        this.asked = asked;
        this.room = room;
    }

    /** @param prompts lengths in tokens */
    public Capacity of(List<Long> prompts) {
        List<Row> rows = new ArrayList<>();
        prompts.forEach(prompt -> rows.add(row(prompt)));
        return new Capacity(room, rows, longest());
    }

    /** Where a run ended. */
    private record Run(boolean fits, long reserved, long peak, long end) {}

    private Row row(long prompt) {
        Scenario run = asked.with(SEQ, prompt);
        Graph graph = reader.apply(run);
        Run one = play(graph, PredictionRequest.unbounded(run), 1);
        Run two = play(graph, PredictionRequest.unbounded(run), 2);
        long held = prompt + asked.generation().tokens() - 1;
        long slope = Math.max(1, two.peak() - one.peak());
        Map<Long, Run> played = new HashMap<>();
        LongFunction<Run> of = n -> played.computeIfAbsent(n, batch -> play(graph, run, batch));
        long requests = most(n -> of.apply(n).fits(), 1 + (room - one.peak()) / slope, 1, MOST);
        Run last = of.apply(Math.max(1, requests));
        return new Row(
                prompt,
                requests,
                requests * held,
                last.reserved(),
                (double) (two.end() - one.end()) / held,
                (double) slope / held);
    }

    private long longest() {
        long guess = MOST / 16;
        Function<Long, Run> alone = steps -> {
            Scenario run = asked.with(SEQ, steps * LENGTHS);
            return play(reader.apply(run), run, 1);
        };
        Run small = alone.apply(1L);
        if (small.fits()) {
            Scenario open = PredictionRequest.unbounded(asked.with(SEQ, 32 * LENGTHS));
            Run larger = play(reader.apply(open), open, 1);
            long slope = Math.max(1, (larger.peak() - small.peak()) / 31);
            guess = Math.max(1, (room - small.peak()) / slope);
        }
        return LENGTHS * most(steps -> alone.apply(steps).fits(), guess, 1, MOST / LENGTHS);
    }

    private Run play(Graph graph, Scenario run, long requests) {
        Simulation played = Predictor.simulate(new PredictionRequest(graph, run.with(BATCH, requests)));
        List<PhaseMemory> phases = played.phases();
        long end = phases.stream()
                .filter(p -> p.phase() == Phase.PREFILL || p.phase() == Phase.DECODE)
                .mapToLong(PhaseMemory::allocated)
                .reduce(0, (before, next) -> next);
        return new Run(played.oom() == null, played.maxReserved(), played.maxAllocated(), end);
    }

    /** Whether a number fits; those below one that does fit as well. */
    private interface Fits {
        boolean test(long n);
    }

    /** The largest number that fits, found from a guess; 0 for none. */
    private static long most(Fits fits, long guess, long least, long most) {
        long at = Math.max(least, Math.min(guess, most));
        long fitting = 0;
        long failing = most + 1;
        long stride = 1;
        while (failing - fitting > 1) {
            if (fits.test(at)) {
                fitting = at;
                at = failing > most ? Math.min(most, at + stride) : between(fitting, failing);
            } else {
                failing = at;
                at = fitting == 0 ? Math.max(1, at - stride) : between(fitting, failing);
            }
            stride *= 2;
        }
        return fitting;
    }

    private static long between(long fitting, long failing) {
        return fitting + Math.max(1, (failing - fitting) / 2);
    }
}
