package dev.headroom.advise;

import dev.headroom.predict.PredictionRequest;
import dev.headroom.training.TrainingRun;
import java.util.ArrayList;
import java.util.List;

/** Looks for changes that allow larger batches. */
final class Growth {
    /** A plan has to allow so many times the batch of those before it to be worth its changes. */
    private static final double WORTHWHILE = 1.05;

    private final PredictionRequest asked;
    private final Trials trials;
    private final Toolbox tools;

    Growth(PredictionRequest asked, Trials trials, Toolbox tools) {
        this.asked = asked;
        this.trials = trials;
        this.tools = tools;
    }

    /**
     * Ways with the largest batch of each, the least intrusive first, each allowing more than those before it.
     *
     * @param least the batch to exceed
     * @param optimizers whether other optimizers may be proposed
     */
    List<Way> beyond(long least, boolean optimizers) {
        List<Way> ways = ways(optimizers);
        ways.sort(Way.RANK);
        List<Long> largest = ways.parallelStream().map(this::largest).toList();
        List<Way> out = new ArrayList<>();
        long most = least;
        for (int i = 0; i < ways.size(); i++) {
            if (largest.get(i) > most && largest.get(i) >= WORTHWHILE * most) {
                most = largest.get(i);
                out.add(minimal(ways.get(i), most));
            }
        }
        return out;
    }

    private long largest(Way way) {
        Long value = LargestValue.batch(asked, trials, way.run()).value();
        return value == null ? 0 : value;
    }

    /** With the batch, and without the free changes that it gets through without. */
    private Way minimal(Way way, long batch) {
        TrainingRun run = asked.run().copy();
        run.batch = batch;
        return Way.of(run).with(way.changes()).minimal(run, trials::fits);
    }

    private List<Way> ways(boolean optimizers) {
        Way start = Way.of(asked.run());
        Way last = tools.checkpoints().strongest().map(start::with).orElse(start);
        List<Change> helpful = tools.helpful(List.of(start, last));
        List<Way> ways = new ArrayList<>();
        for (Way base : bases(start, optimizers)) {
            Way free = base.with(tools.applicable(helpful, base));
            ways.add(base);
            ways.add(free);
            tools.checkpoints().some().forEach(change -> ways.add(free.with(change)));
        }
        ways.removeIf(way -> way.changes().isEmpty());
        return ways;
    }

    /** The run as it is, with fewer bits, and with both fewer bits and other optimizers. */
    private List<Way> bases(Way start, boolean optimizers) {
        List<Way> bases = new ArrayList<>(List.of(start));
        tools.precisions(asked.run()).forEach(change -> bases.add(start.with(change)));
        if (optimizers) {
            Way deepest = bases.get(bases.size() - 1);
            OptimizerChanges.of(asked.run()).forEach(change -> bases.add(deepest.with(change)));
        }
        return bases;
    }
}
