package dev.headroom.estimator.program;

import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
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
        return node.target().equals(AUTOCAST) ? autocast(runtime, node) : gradMode(runtime, node);
    }

    private static Runnable gradMode(EagerRuntime runtime, Node node) {
        boolean enabled = runtime.gradMode() && flag(node, 0, true);
        boolean before = runtime.setGradMode(enabled);
        return () -> runtime.setGradMode(before);
    }

    private static Runnable autocast(EagerRuntime runtime, Node node) {
        AutocastMode mode = runtime.autocast();
        DType type = argument(node, 1) instanceof Argument.Type t
                ? t.value()
                : mode.state().type();
        boolean caching = flag(node, 3, mode.state().caching());
        AutocastMode.State before = mode.enter(new AutocastMode.State(flag(node, 2, true), type, caching));
        return () -> mode.exit(before);
    }

    private static @Nullable Argument argument(Node node, int i) {
        return i < node.arguments().size() ? node.arguments().get(i).value() : null;
    }

    private static boolean flag(Node node, int i, boolean otherwise) {
        return argument(node, i) instanceof Argument.Bool b ? b.value() : otherwise;
    }
}
