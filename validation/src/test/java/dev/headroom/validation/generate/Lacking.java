package dev.headroom.validation.generate;

import dev.headroom.executor.op.StandardOperators;
import dev.headroom.executor.optim.Optimizers;
import java.util.Set;

/** What the executor does not run yet. */
final class Lacking {
    private static final Set<String> NAMES = StandardOperators.all().names();

    private Lacking() {}

    /** Whether the executor has all operators of a case, and its optimizer. */
    static boolean nothing(RandomCase c) {
        return Optimizers.knows(c.run().training())
                && c.graph().nodes().stream().allMatch(n -> NAMES.contains(n.operator()));
    }
}
