package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Micro-batches: the batch in equal parts, a pass each, whose gradients add up before the optimizer steps. */
final class Accumulation {
    /** The first pass makes the gradients, the second adds to them. */
    private static final int DIFFERENT = 2;

    private final ModelFacts model;
    private final VariantPlayer player;

    Accumulation(ModelFacts model, VariantPlayer player) {
        this.model = model;
        this.player = player;
    }

    /** The fewest parts that get through, if any do. */
    Optional<Change> fewest(Scenario run) {
        List<Integer> parts = parts(run);
        int low = 0;
        int high = parts.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (player.mayFit(change(run, parts.get(middle)).of(run))) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low == parts.size() ? Optional.empty() : Optional.of(change(run, parts.get(low)));
    }

    /** A sample a pass, played as two passes: what micro-batches can save at most. */
    Variant most(Variant way) {
        List<Integer> parts = parts(way.run());
        if (parts.isEmpty()) {
            return way;
        }
        int samples = parts.get(parts.size() - 1);
        return new Variant(way.with(change(way.run(), samples)).changes(), settled(way.run(), samples));
    }

    /** The divisors of the batch above one. */
    private static List<Integer> parts(Scenario run) {
        List<Integer> parts = new ArrayList<>();
        long batch = run.sizes().batch() == null ? 1 : Math.min(run.sizes().batch(), 1 << 20);
        for (int k = 2; k <= batch; k++) {
            if (run.sizes().batch() % k == 0) {
                parts.add(k);
            }
        }
        return parts;
    }

    private static Scenario settled(Scenario run, int parts) {
        int passes = run.loop().inference() ? 1 : Math.max(run.loop().accumulate(), DIFFERENT);
        return run.with(BATCH, run.sizes().batch() / parts).with(ACCUMULATE, passes);
    }

    private Change change(Scenario run, int parts) {
        String title = parts + " micro-batches of " + run.sizes().batch() / parts;
        Cost cost = new Cost(parts, 0L, 0);
        if (run.loop().inference()) {
            return new Change(
                    "micro-batches",
                    title,
                    Intrusion.WORK,
                    cost,
                    List.of("outputs = [model(part).cpu() for part in inputs.chunk(" + parts + ")]"),
                    List.of(),
                    r -> r.with(BATCH, r.sizes().batch() / parts));
        }
        int passes = parts * run.loop().accumulate();
        boolean statistics = model.batchStatistics();
        return new Change(
                "micro-batches",
                title,
                statistics ? Intrusion.STATISTICS : Intrusion.WORK,
                cost,
                code(run.sizes().batch() / parts, passes),
                statistics
                        ? List.of("batch normalization sees " + run.sizes().batch() / parts
                                + " samples at a time instead of " + run.sizes().batch())
                        : List.of(),
                r -> r.with(BATCH, r.sizes().batch() / parts)
                        .with(ACCUMULATE, r.loop().accumulate() * parts));
    }

    private List<String> code(long samples, int passes) {
        return List.of(
                "loader = DataLoader(dataset, batch_size=" + samples + ")",
                "for i, " + model.batch() + " in enumerate(loader):",
                "    (" + model.loss() + " / " + passes + ").backward()",
                "    if (i + 1) % " + passes + " == 0:",
                "        optimizer.step()",
                "        optimizer.zero_grad()");
    }
}
