package dev.headroom.advisor.serving;

import static dev.headroom.model.scenario.ModelSettings.SEQ;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.advisor.serving.Capacity.Row;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.estimator.predict.Predictor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
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
        ForkJoinTask<Long> longest = ForkJoinPool.commonPool().submit(this::longest);
        List<Row> rows = prompts.parallelStream().map(this::row).toList();
        return new Capacity(room, rows, longest.join());
    }

    private Row row(long prompt) {
        Scenario run = asked.with(SEQ, prompt);
        Graph graph = reader.apply(run);
        LongFunction<PredictionRequest> sized = n -> new PredictionRequest(graph, run.with(BATCH, n));
        ForkJoinTask<Run> first = ForkJoinPool.commonPool().submit(() -> open(sized.apply(1)));
        Run two = open(sized.apply(2));
        Run one = first.join();
        long held = prompt + asked.generation().tokens() - 1;
        long slope = Math.max(1, two.peak() - one.peak());
        Search search = new Search(sized, MOST, true);
        long requests = search.most(1 + (room - one.peak()) / slope);
        Run last = search.at(Math.max(1, requests));
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
        LongFunction<PredictionRequest> sized = steps -> {
            Scenario run = asked.with(SEQ, steps * LENGTHS).with(BATCH, 1L);
            return new PredictionRequest(reader.apply(run), run);
        };
        Search search = new Search(sized, MOST / LENGTHS, false);
        Run small = search.at(1);
        if (small.fits()) {
            Run larger = open(sized.apply(32));
            long slope = Math.max(1, (larger.peak() - small.peak()) / 31);
            guess = Math.max(1, (room - small.peak()) / slope);
        }
        return LENGTHS * search.most(guess);
    }

    /** Where it ends on a device with room for anything. */
    private static Run open(PredictionRequest sized) {
        return Run.of(Predictor.simulate(sized.unbounded()));
    }
}
