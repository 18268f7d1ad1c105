package dev.headroom.validation.generate;

import dev.headroom.executor.op.StandardOperators;
import java.util.Set;

/** What the executor does not run yet. */
final class Lacking {
    private static final Set<String> NAMES = StandardOperators.all().names();

    private Lacking() {}

    /** Whether the executor has all operators of a case. */
    static boolean nothing(RandomCase c) {
        return c.graph().nodes().stream().allMatch(n -> NAMES.contains(n.operator()));
    }
}
