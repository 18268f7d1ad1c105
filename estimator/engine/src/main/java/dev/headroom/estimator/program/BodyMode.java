package dev.headroom.estimator.program;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.Node;
import org.jspecify.annotations.Nullable;

/**
 * The mode that a higher-order operator runs its body under: {@code wrap_with_set_grad_enabled(enabled, body, inputs…)}
 * and {@code wrap_with_autocast(device, dtype, enabled, cache_enabled, body, inputs…)}. The device that an archive
 * names is the one that it was exported on; its regions count for the run's.
 */
final class BodyMode {
    private static final String AUTOCAST = "higher_order.wrap_with_autocast";

    private BodyMode() {}

    /** Enters the mode; to be left by running the result. */
    static Runnable enter(EagerRuntime runtime, Node node) {
        return node.target().equals(AUTOCAST)
                ? RegionModes.autocast(runtime, argument(node, 1), argument(node, 2), argument(node, 3))
                : RegionModes.gradients(runtime, argument(node, 0));
    }

    private static @Nullable Argument argument(Node node, int i) {
        return i < node.arguments().size() ? node.arguments().get(i).value() : null;
    }
}
