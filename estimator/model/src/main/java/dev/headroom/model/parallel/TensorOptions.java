package dev.headroom.model.parallel;

import dev.headroom.model.plan.TensorPlan;
import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * Options of tensor parallelism.
 *
 * @param degree ranks that share a layer; {@code null} for all
 * @param sequenceParallel what lies between the shared layers is divided by the sequence
 * @param lossParallel the loss works on divided logits
 * @param plan which modules are shared, and how; {@code null} for the usual plan of such a model
 */
@Withers
public record TensorOptions(
        @Nullable Integer degree,
        boolean sequenceParallel,
        boolean lossParallel,
        @Nullable TensorPlan plan) implements TensorOptionsWithers.With {
    public static final TensorOptions DEFAULTS = new TensorOptions(null, false, false, null);
}
