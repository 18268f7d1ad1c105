package dev.headroom.advisor.plans;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;

import dev.headroom.advisor.change.Catalogue;
import dev.headroom.advisor.change.Change;
import dev.headroom.advisor.change.MicroBatches;
import dev.headroom.advisor.variants.VariantPlayer;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Optional;

/** How many micro-batches a run needs. */
final class MicroBatchSearch {
    /** The first pass makes the gradients, the second adds to them. */
    private static final int DISTINCT_PASSES = 2;

    private final Catalogue catalogue;
    private final VariantPlayer player;

    MicroBatchSearch(Catalogue catalogue, VariantPlayer player) {
        this.catalogue = catalogue;
        this.player = player;
    }

    private List<Integer> parts(Scenario run) {
        return catalogue.decidesSteps() ? MicroBatches.parts(run) : List.of();
    }

    /** The fewest parts that get through, if any do. */
    Optional<Change> fewest(Scenario run) {
        return fewest(run, parts(run));
    }

    /**
     * The fewest parts that get through, if any do that are fewer than those of a change; more parts need less memory.
     */
    Optional<Change> fewer(Scenario run, Change than) {
        List<Integer> parts =
                parts(run).stream().filter(n -> n < than.cost().passes()).toList();
        boolean some = !parts.isEmpty() && player.mayFit(divided(run, parts.get(parts.size() - 1)));
        return some ? fewest(run, parts) : Optional.empty();
    }

    private Optional<Change> fewest(Scenario run, List<Integer> parts) {
        int low = 0;
        int high = parts.size();
        while (low < high) {
            int middle = (low + high) / 2;
            if (player.mayFit(divided(run, parts.get(middle)))) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low == parts.size() ? Optional.empty() : Optional.of(catalogue.microBatches(run, parts.get(low)));
    }

    private Scenario divided(Scenario run, int parts) {
        return catalogue.microBatches(run, parts).of(run);
    }

    /** A sample a pass, played as two passes: what micro-batches can save at most. */
    Variant most(Variant variant) {
        List<Integer> parts = parts(variant.run());
        if (parts.isEmpty()) {
            return variant;
        }
        int samples = parts.get(parts.size() - 1);
        return new Variant(
                variant.with(catalogue.microBatches(variant.run(), samples)).changes(),
                settled(variant.run(), samples));
    }

    private static Scenario settled(Scenario run, int parts) {
        int passes = run.loop().inference() ? 1 : Math.max(run.loop().accumulate(), DISTINCT_PASSES);
        return run.with(BATCH, run.sizes().givenBatch() / parts).with(ACCUMULATE, passes);
    }
}
