package dev.headroom.validation.generate;

import dev.headroom.executor.op.Operators;
import dev.headroom.training.LossKind;
import java.util.Set;

/** What the executor does not run yet. */
final class Lacking {
    private static final Set<String> NAMES = Operators.standard().names();

    private Lacking() {}

    /** Whether the executor has all that a case needs. */
    static boolean nothing(RandomCase c) {
        boolean loss = c.run().loss() != LossKind.CROSS_ENTROPY || NAMES.contains("aten.cross_entropy_loss");
        boolean checkpoints =
                c.run().checkpoint() == 0 && c.run().checkpointModules().isEmpty();
        return loss && checkpoints && c.graph().nodes().stream().allMatch(n -> NAMES.contains(n.operator()));
    }
}
