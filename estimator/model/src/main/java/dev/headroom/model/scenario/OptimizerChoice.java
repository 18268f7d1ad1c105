package dev.headroom.model.scenario;

/**
 * Which optimizer steps, and how.
 *
 * @param kind the optimizer
 * @param foreach whether multi-tensor kernels are used
 * @param fused whether fused kernels are used
 * @param options what the optimizer's constructor is given besides
 */
public record OptimizerChoice(OptimizerKind kind, Scenario.Foreach foreach, boolean fused, OptimizerOptions options) {
    static final OptimizerChoice DEFAULTS =
            new OptimizerChoice(OptimizerKind.ADAMW, Scenario.Foreach.AUTO, false, OptimizerOptions.DEFAULTS);

    OptimizerChoice withKind(OptimizerKind value) {
        return new OptimizerChoice(value, foreach, fused, options);
    }

    OptimizerChoice withForeach(Scenario.Foreach value) {
        return new OptimizerChoice(kind, value, fused, options);
    }

    OptimizerChoice withFused(boolean value) {
        return new OptimizerChoice(kind, foreach, value, options);
    }

    OptimizerChoice withOptions(OptimizerOptions value) {
        return new OptimizerChoice(kind, foreach, fused, value);
    }
}
