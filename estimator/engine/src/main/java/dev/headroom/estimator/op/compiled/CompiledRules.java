package dev.headroom.estimator.op.compiled;

import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.model.compiled.CompiledGraph;

/** The operator that graphs of plans consist of. */
public final class CompiledRules {
    private CompiledRules() {}

    public static void register(Registry r) {
        r.add(CompiledGraph.OPERATOR, CompiledCall::run);
    }
}
