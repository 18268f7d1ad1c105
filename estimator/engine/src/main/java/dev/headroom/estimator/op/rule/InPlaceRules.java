package dev.headroom.estimator.op.rule;

import java.util.HashSet;
import java.util.Set;

/**
 * In-place forms of operators whose other form has a rule, where they have none of their own: played as the form that
 * makes a new tensor, which is a bound. Registered after all families.
 */
public final class InPlaceRules {
    private InPlaceRules() {}

    public static void register(Registry r) {
        Set<String> known = new HashSet<>(r.operators());
        for (AtenOperators.Declared declared : AtenOperators.all()) {
            String operator = declared.operator();
            int dot = operator.lastIndexOf('.');
            String name = operator.substring(0, dot);
            if (!name.endsWith("_") || name.endsWith("__") || r.find(operator) != null) {
                continue;
            }
            String fresh = name.substring(0, name.length() - 1) + operator.substring(dot);
            Rule rule = r.find(fresh);
            if (rule == null || known.contains(operator)) {
                continue;
            }
            r.bound(operator, "played as " + fresh + ", which makes a new tensor");
            r.add(operator, c -> {
                c.runtime().workspaces().noteBound();
                return rule.run(c);
            });
        }
    }
}
