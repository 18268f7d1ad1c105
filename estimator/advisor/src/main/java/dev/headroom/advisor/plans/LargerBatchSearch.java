package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.variants.Processors;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

/** Looks for changes that allow larger batches. */
final class LargerBatchSearch {
    /** A plan has to allow so many times the batch of those before it to be worth its changes. */
    private static final double WORTHWHILE = 1.05;

    /**
     * Variants that are looked at side by side. What those before them allow decides whether they are worth it, which
     * they cannot know of each other.
     */
    private static final int AT_ONCE = 2;

    private final Scenario asked;
    private final VariantPlayer player;
    private final AvailableChanges tools;

    LargerBatchSearch(Scenario asked, VariantPlayer player, AvailableChanges tools) {
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
    List<Plan> beyond(long least, boolean optimizers) {
        List<Variant> variants = variants(optimizers);
        variants.sort(Variant.RANK);
        List<Future<Plan>> plans = new ArrayList<>();
        long most = least;
        for (int i = 0; i < variants.size(); i += AT_ONCE) {
            List<Variant> some = variants.subList(i, Math.min(i + AT_ONCE, variants.size()));
            long worth = worth(most);
            List<Long> largest =
                    player.processors().map(some, variant -> LargestSizeSearch.batch(player, variant.run(), worth));
            for (int k = 0; k < some.size(); k++) {
                if (largest.get(k) >= worth(most)) {
                    most = largest.get(k);
                    plans.add(plan(some.get(k), most));
                }
            }
        }
        return plans.stream().map(Processors::join).toList();
    }

    /** The search goes on while it is made. */
    private Future<Plan> plan(Variant variant, long batch) {
        return player.processors().aside(() -> minimal(variant, batch).plan(player));
    }

    /** The least batch that is worth listing beyond another. */
    private static long worth(long most) {
        return Math.max(most + 1, (long) Math.ceil(WORTHWHILE * most));
    }

    /** With the batch, and without the free changes that it gets through without. */
    private Variant minimal(Variant variant, long batch) {
        Scenario run = asked.with(BATCH, batch);
        return Variant.of(run).with(variant.changes()).minimal(run, player::fits);
    }

    private List<Variant> variants(boolean optimizers) {
        Variant start = Variant.of(asked);
        Variant last = tools.checkpoints().strongest().map(start::with).orElse(start);
        List<Change> helpful = tools.helpful(List.of(start, last));
        List<Variant> variants = new ArrayList<>();
        for (Variant base : bases(start, optimizers)) {
            Variant free = base.with(tools.applicable(helpful, base));
            variants.add(base);
            variants.add(free);
            tools.checkpoints().some().forEach(change -> variants.add(free.with(change)));
        }
        variants.removeIf(variant -> variant.changes().isEmpty());
        return variants;
    }

    /** The run as it is, with fewer bits, and with both fewer bits and other optimizers. */
    private List<Variant> bases(Variant start, boolean optimizers) {
        List<Variant> bases = new ArrayList<>(List.of(start));
        tools.precisions(asked).forEach(change -> bases.add(start.with(change)));
        if (optimizers) {
            Variant deepest = bases.get(bases.size() - 1);
            tools.optimizers(asked).forEach(change -> bases.add(deepest.with(change)));
        }
        return bases;
    }
}
