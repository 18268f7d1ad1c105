package dev.headroom.model.scenario;

import dev.headroom.model.record.Withers;
import java.util.List;

/**
 * Which optimizer steps, and how.
 *
 * @param kind the optimizer
 * @param foreach whether multi-tensor kernels are used
 * @param fused whether fused kernels are used
 * @param options what the optimizer's constructor is given besides
 * @param groups of parameters that are stepped apart; without any, all of the model's are one
 */
@Withers
public record OptimizerChoice(
        OptimizerKind kind,
        Scenario.Foreach foreach,
        boolean fused,
        OptimizerOptions options,
        List<ParameterGroup> groups)
        implements OptimizerChoiceWithers.With {
    static final OptimizerChoice DEFAULTS = new OptimizerChoice(
            OptimizerKind.ADAMW, Scenario.Foreach.AUTO, false, OptimizerOptions.DEFAULTS, List.of());

    /** Copies what it is given. */
    public OptimizerChoice {
        groups = List.copyOf(groups);
    }
}
