package dev.headroom.estimator.op.rule;

import dev.headroom.estimator.runtime.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Rules of operators by ATen name: with an overload ({@code aten.add.Tensor}) where overloads differ, without
 * ({@code aten.relu}) where they do not. A family's table adds its rules while the registry is made; from then on it
 * is only read.
 */
public final class Registry {
    private final Map<String, Rule> rules = new HashMap<>();
    private final Map<String, String> families = new HashMap<>();
    private final Map<String, String> bounds = new HashMap<>();
    private String family = "";
    private boolean complete;

    /** Adds a family of operators. */
    public Registry family(String name, Consumer<Registry> table) {
        family = name;
        table.accept(this);
        return this;
    }

    /** Ends the adding of rules. */
    public Registry complete() {
        complete = true;
        return this;
    }

    /**
     * Says that a rule plays less than everything: what it leaves out, or sets to its largest. Where it does, the rule
     * calls {@link dev.headroom.estimator.runtime.Workspaces#noteBound}.
     *
     * @param why such as "cuFFT's workspace is not known"
     */
    public void bound(String operator, String why) {
        bounds.put(operator, why);
    }

    /** What the rule for a target does not know, or {@code null} where it knows everything. */
    public @Nullable String bound(String target) {
        String why = bounds.get(target);
        int dot = target.lastIndexOf('.');
        return why != null || dot < 0 ? why : bounds.get(target.substring(0, dot));
    }

    /** A rule with any number of results. */
    public void add(String operator, Rule rule) {
        if (complete) {
            throw new IllegalStateException("a rule for " + operator + " comes too late");
        }
        families.put(operator, family);
        if (rules.put(operator, isInPlace(operator) ? call -> noted(call, rule) : rule) != null) {
            throw new IllegalStateException("two rules for " + operator);
        }
    }

    private static boolean isInPlace(String operator) {
        int name = operator.indexOf('.') + 1;
        int dot = operator.indexOf('.', name);
        int end = dot < 0 ? operator.length() : dot;
        return operator.startsWith("_", end - 1) && !operator.startsWith("__", end - 2);
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
    public void single(String operator, Rule.Single rule) {
        add(operator, call -> new Tensor[] {rule.run(call)});
    }

    /** Another name of an operator that already has a rule. */
    public void alias(String operator, String existing) {
        add(operator, Objects.requireNonNull(rules.get(existing), existing));
    }

    /** The rule for a target such as {@code aten.add.Tensor}, or {@code null}. */
    public @Nullable Rule find(String target) {
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
    public NavigableSet<String> operators() {
        return new TreeSet<>(rules.keySet());
    }
}
