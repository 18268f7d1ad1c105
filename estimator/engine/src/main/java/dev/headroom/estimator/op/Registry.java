package dev.headroom.estimator.op;

import dev.headroom.estimator.runtime.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * All operators with a rule, by ATen name: with an overload ({@code aten.add.Tensor}) where overloads differ, without
 * ({@code aten.relu}) where they do not. A new operator is
 * a few lines in its family; a new family is a class with a {@code register} method, listed here.
 */
public final class Registry {
    private static final Registry STANDARD = new Registry();

    static {
        STANDARD.family("views", ViewRules::register);
        STANDARD.family("creation", CreationRules::register);
        STANDARD.family("copies and conversions", CopyRules::register);
        STANDARD.family("arithmetic", PointwiseRules::register);
        STANDARD.family("arithmetic", BinaryRules::register);
        STANDARD.family("arithmetic", BlendRules::register);
        STANDARD.family("elementary functions", ElementaryRules::register);
        STANDARD.family("activations", ActivationRules::register);
        STANDARD.family("reductions", ReductionRules::register);
        STANDARD.family("sorting and selection", SelectionRules::register);
        STANDARD.family("matrix products", MatmulRules::register);
        STANDARD.family("convolutions", ConvolutionRules::register);
        STANDARD.family("pooling", PoolingRules::register);
        STANDARD.family("normalisation", NormalizationRules::register);
        STANDARD.family("softmax", SoftmaxRules::register);
        STANDARD.family("losses", LossRules::register);
        STANDARD.family("dropout", DropoutRules::register);
        STANDARD.family("embeddings", EmbeddingRules::register);
        STANDARD.family("indexing", IndexingRules::register);
        STANDARD.family("padding", Padding::register);
        STANDARD.family("repetition", Repetition::register);
        STANDARD.family("indexing", ScatterRules::register);
        STANDARD.family("interpolation and sampling", Upsampling::register);
        STANDARD.family("views", StridedViewRules::register);
        STANDARD.family("patches", ImagePatches::register);
        STANDARD.family("recurrent", CellRules::register);
        STANDARD.family("recurrent", RecurrentRules::register);
        STANDARD.family("attention", AttentionRules::register);
    }

    private final Map<String, Rule> rules = new HashMap<>();
    private final Map<String, String> families = new HashMap<>();
    private String family = "";

    Registry() {}

    /** The operators that Headroom knows. */
    public static Registry standard() {
        return STANDARD;
    }

    private void family(String name, Consumer<Registry> register) {
        family = name;
        register.accept(this);
    }

    /** A rule with any number of results. */
    void add(String operator, Rule rule) {
        families.put(operator, family);
        if (rules.put(operator, isInPlace(operator) ? call -> noted(call, rule) : rule) != null) {
            throw new IllegalStateException("two rules for " + operator);
        }
    }

    private static boolean isInPlace(String operator) {
        String name = operator.split("\\.")[1];
        return name.endsWith("_") && !name.endsWith("__");
    }

    /** The tensor's version counts a change that nothing is recorded of, too (increment_version). */
    private static Tensor[] noted(Call call, Rule rule) {
        Tensor[] out = rule.run(call);
        if (out.length > 0
                && out[0] != null
                && !(out[0].requiresGrad() && call.runtime().gradMode())) {
            call.runtime().noteChange(out[0]);
        }
        return out;
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

    /** What kind of operator one with a rule is, by the name it is listed under. */
    public String family(String operator) {
        return families.getOrDefault(operator, "");
    }

    /** Names of all operators with a rule, sorted. */
    public Set<String> operators() {
        return new TreeSet<>(rules.keySet());
    }
}
