package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.estimator.predict.PredictionRequest;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/** Looks for changes that allow larger batches. */
final class LargerBatchSearch {
    /** A plan has to allow so many times the batch of those before it to be worth its changes. */
    private static final double WORTHWHILE = 1.05;

    private final PredictionRequest asked;
    private final VariantPlayer player;
    private final AvailableChanges tools;

    LargerBatchSearch(PredictionRequest asked, VariantPlayer player, AvailableChanges tools) {
        this.asked = asked;
        this.player = player;
        this.tools = tools;
    }

    /**
     * Ways with the largest batch of each, the least intrusive first, each allowing more than those before it.
     *
     * @param least the batch to exceed
     * @param optimizers whether other optimizers may be proposed
     */
    List<Variant> beyond(long least, boolean optimizers) {
        List<Variant> ways = ways(optimizers);
        ways.sort(Variant.RANK);
        List<Long> largest = ways.parallelStream().map(this::largest).toList();
        List<Variant> out = new ArrayList<>();
        long most = least;
        for (int i = 0; i < ways.size(); i++) {
            if (largest.get(i) > most && largest.get(i) >= WORTHWHILE * most) {
                most = largest.get(i);
                out.add(minimal(ways.get(i), most));
            }
        }
        return out;
    }

    private long largest(Variant way) {
        Long value = LargestValue.batch(asked, player, way.run()).value();
        return value == null ? 0 : value;
    }

    /** With the batch, and without the free changes that it gets through without. */
    private Variant minimal(Variant way, long batch) {
        Scenario run = asked.scenario().with(BATCH, batch);
        return Variant.of(run).with(way.changes()).minimal(run, player::fits);
    }

    private List<Variant> ways(boolean optimizers) {
        Variant start = Variant.of(asked.scenario());
        Variant last = tools.checkpoints().strongest().map(start::with).orElse(start);
        List<Change> helpful = tools.helpful(List.of(start, last));
        List<Variant> ways = new ArrayList<>();
        for (Variant base : bases(start, optimizers)) {
            Variant free = base.with(tools.applicable(helpful, base));
            ways.add(base);
            ways.add(free);
            tools.checkpoints().some().forEach(change -> ways.add(free.with(change)));
        }
        ways.removeIf(way -> way.changes().isEmpty());
        return ways;
    }

    /** The run as it is, with fewer bits, and with both fewer bits and other optimizers. */
    private List<Variant> bases(Variant start, boolean optimizers) {
        List<Variant> bases = new ArrayList<>(List.of(start));
        tools.precisions(asked.scenario()).forEach(change -> bases.add(start.with(change)));
        if (optimizers) {
            Variant deepest = bases.get(bases.size() - 1);
            tools.optimizers(asked.scenario()).forEach(change -> bases.add(deepest.with(change)));
        }
        return bases;
    }
}
