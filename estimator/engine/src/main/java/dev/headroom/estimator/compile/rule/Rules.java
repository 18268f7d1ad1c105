package dev.headroom.estimator.compile.rule;

import dev.headroom.model.scenario.Scenario.Attention;
import java.util.HashMap;
import java.util.Map;

/** All rules, by the operator's name; a family each. */
public final class Rules {
    private final Map<String, Rule> all = new HashMap<>();

    /**
     * The rules for a card.
     *
     * @param major its compute capability
     * @param attention kernels that the user allows
     */
    public Rules(int major, Attention attention) {
        ElementwiseRules.register(all);
        ViewRules.register(all);
        NormalizationRules.register(all);
        ProductRules.register(all);
        ConvolutionRules.register(all);
        LossRules.register(all);
        ExtremumRules.register(all);
        IndexRules.register(all);
        AttentionRules.register(all, new AttentionKernel.Choice(major, attention));
    }

    Map<String, Rule> all() {
        return all;
    }
}
