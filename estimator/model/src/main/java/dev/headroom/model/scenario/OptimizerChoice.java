package dev.headroom.model.scenario;

import dev.headroom.model.record.Withers;

/**
 * Which optimizer steps, and how.
 *
 * @param kind the optimizer
 * @param foreach whether multi-tensor kernels are used
 * @param fused whether fused kernels are used
 * @param options what the optimizer's constructor is given besides
 */
@Withers
public record OptimizerChoice(OptimizerKind kind, Scenario.Foreach foreach, boolean fused, OptimizerOptions options)
        implements OptimizerChoiceWithers.With {
    static final OptimizerChoice DEFAULTS =
            new OptimizerChoice(OptimizerKind.ADAMW, Scenario.Foreach.AUTO, false, OptimizerOptions.DEFAULTS);
}
