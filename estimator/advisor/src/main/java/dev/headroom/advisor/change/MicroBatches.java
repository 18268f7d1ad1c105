package dev.headroom.advisor.change;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;

/** Micro-batches: the batch in equal parts, a pass each, whose gradients add up before the optimizer steps. */
public final class MicroBatches {
    /** The kind of these changes. */
    public static final String KIND = "micro-batches";

    /** Larger batches are cut as this one would be. */
    private static final int LARGEST = 1 << 20;

    /** Plans look for the fewest parts that get through; an explanation shows what two do, whether equal or not. */
    static final List<CatalogueEntry> ENTRIES = List.of(CatalogueEntry.of(s -> of(s, 2))
            .notPlanned()
            .when(s -> s.run().sizes().batch() != null
                    && s.run().sizes().givenBatch() >= 2
                    && s.model().hasBatch())
            .explained("batch", s -> s.trains() ? "Half the batch, twice the passes" : "Half the batch", Target.BATCH));

    private MicroBatches() {}

    /** How many parts of one size there can be: the divisors of the batch above one. */
    public static List<Integer> parts(Scenario run) {
        List<Integer> parts = new ArrayList<>();
        long batch = run.sizes().batch() == null ? 1 : Math.min(run.sizes().batch(), LARGEST);
        for (int k = 2; k <= batch; k++) {
            if (run.sizes().givenBatch() % k == 0) {
                parts.add(k);
            }
        }
        return parts;
    }

    static Change of(Situation s, int parts) {
        long batch = s.run().sizes().givenBatch();
        String title = parts + " micro-batches of " + batch / parts;
        Cost cost = new Cost(parts, 0L, 0);
        if (!s.trains()) {
            return Change.free(KIND, title, r -> r.with(BATCH, r.sizes().givenBatch() / parts))
                    .withIntrusion(Intrusion.WORK)
                    .withCost(cost)
                    .withCode("outputs = [model(part).cpu() for part in inputs.chunk(" + parts + ")]");
        }
        Change change = Change.free(KIND, title, r -> r.with(BATCH, r.sizes().givenBatch() / parts)
                        .with(ACCUMULATE, r.loop().accumulate() * parts))
                .withCost(cost)
                .withCode(loop(s, batch / parts, parts * s.run().loop().accumulate()));
        return s.model().batchStatistics()
                ? change.withIntrusion(Intrusion.STATISTICS)
                        .withEffect(
                                "batch normalization sees " + batch / parts + " samples at a time instead of " + batch)
                : change.withIntrusion(Intrusion.WORK);
    }

    private static List<String> loop(Situation s, long samples, int passes) {
        if (s.run().trainer().loop().isTrainer()) {
            return List.of(
                    "args = TrainingArguments(per_device_train_batch_size=" + samples + ",",
                    "                         gradient_accumulation_steps=" + passes + ", ...)  # the rest as it is");
        }
        ModelFacts model = s.model();
        return List.of(
                "loader = DataLoader(dataset, batch_size=" + samples + ")",
                "for i, " + model.batch() + " in enumerate(loader):",
                "    (" + model.loss() + " / " + passes + ").backward()",
                "    if (i + 1) % " + passes + " == 0:",
                "        optimizer.step()",
                "        optimizer.zero_grad()");
    }
}
