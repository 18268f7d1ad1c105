package dev.headroom.ops;

import dev.headroom.shadow.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * All operators with a rule, by ATen name: with an overload ({@code aten.add.Tensor}) where overloads differ, without
 * ({@code aten.relu}) where they do not. A new family is a class with a {@code register} method, listed here.
 */
public final class Registry {
    private static final Registry STANDARD = new Registry();

    static {
        ViewRules.register(STANDARD);
        CreationRules.register(STANDARD);
        CopyRules.register(STANDARD);
        PointwiseRules.register(STANDARD);
        BinaryRules.register(STANDARD);
        BlendRules.register(STANDARD);
        ElementaryRules.register(STANDARD);
        ActivationRules.register(STANDARD);
        ReductionRules.register(STANDARD);
        MatmulRules.register(STANDARD);
        ConvolutionRules.register(STANDARD);
        PoolingRules.register(STANDARD);
        NormalizationRules.register(STANDARD);
        SoftmaxRules.register(STANDARD);
        LossRules.register(STANDARD);
        DropoutRules.register(STANDARD);
        EmbeddingRules.register(STANDARD);
        IndexingRules.register(STANDARD);
        Padding.register(STANDARD);
        Repetition.register(STANDARD);
        AttentionRules.register(STANDARD);
    }

    private final Map<String, Rule> rules = new HashMap<>();

    Registry() {}

    /** The operators that Headroom knows. */
    public static Registry standard() {
        return STANDARD;
    }

    /** A rule with any number of results. */
    void add(String operator, Rule rule) {
        if (rules.put(operator, rule) != null) {
            throw new IllegalStateException("two rules for " + operator);
        }
    }

    /** A rule with one result. */
    void single(String operator, Rule.Single rule) {
        add(operator, call -> new Tensor[] {rule.run(call)});
    }

    /** Another name of an operator that already has a rule. */
    void alias(String operator, String existing) {
        add(operator, rules.get(existing));
    }

    /** The rule for a target such as {@code aten.add.Tensor}, or {@code null}. */
    public Rule find(String target) {
        Rule rule = rules.get(target);
        if (rule == null) {
            int dot = target.lastIndexOf('.');
            rule = dot < 0 ? null : rules.get(target.substring(0, dot));
        }
        return rule;
    }

    /** Names of all operators with a rule, sorted. */
    public Set<String> operators() {
        return new TreeSet<>(rules.keySet());
    }
}
