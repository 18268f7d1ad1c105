package dev.headroom.advisor.plans;

import dev.headroom.estimator.predict.Prediction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to change.
 *
 * @param asked the run as it was asked for, on the device; for {@link Goal#MAX_BATCH} without a batch, with one sample
 * @param largest the largest batch as the run stands, and the largest value of every size that was given by name
 * @param plans that get through, the least intrusive first. To keep a batch that does not fit, each has that batch;
 *     else each has the largest batch that it allows, and allows more than those before it
 * @param shortfall {@code null} unless nothing gets through
 * @param notes what would not help and why, a sentence each
 */
public record Advice(
        Goal goal,
        Prediction asked,
        List<Largest> largest,
        List<Plan> plans,
        @Nullable Shortfall shortfall,
        List<String> notes) {
    /** Whether the run gets through as it is. */
    public boolean fits() {
        return asked.oom() == null;
    }

    /** Whether there is a way. */
    public boolean possible() {
        return fits() || !plans.isEmpty();
    }
}
