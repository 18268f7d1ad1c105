package dev.headroom.estimator.program;

import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import dev.headroom.model.rewrite.InlinedRegions;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes of {@link InlinedRegions} switch: {@code torch.set_grad_enabled} and {@code torch.autocast}. The
 * device that an archive names is the one that it was exported on; its regions count for the run's.
 */
final class RegionModes {
    private final EagerRuntime runtime;
    private final Deque<Runnable> undo = new ArrayDeque<>();

    RegionModes(EagerRuntime runtime) {
        this.runtime = runtime;
    }

    /** Whether the node switches; then it is done. */
    boolean handles(Node node) {
        if (node.target().equals(InlinedRegions.ENTER)) {
            undo.push(node.argument(InlinedRegions.GRADIENTS) == null ? autocast(node) : gradients(node));
            return true;
        }
        if (node.target().equals(InlinedRegions.LEAVE)) {
            undo.pop().run();
            return true;
        }
        return false;
    }

    /** How many regions are open. */
    int depth() {
        return undo.size();
    }

    /** Leaves regions until so many are open. */
    void leave(int depth) {
        while (undo.size() > depth) {
            undo.pop().run();
        }
    }

    private Runnable gradients(Node node) {
        return gradients(runtime, node.argument(InlinedRegions.GRADIENTS));
    }

    private Runnable autocast(Node node) {
        return autocast(
                runtime,
                node.argument(InlinedRegions.TYPE),
                node.argument(InlinedRegions.AUTOCAST),
                node.argument(InlinedRegions.CACHE));
    }

    /** Lets autograd record unless told otherwise, where it does; running the result undoes that. */
    static Runnable gradients(EagerRuntime runtime, @Nullable Argument enabled) {
        boolean before = runtime.setGradMode(runtime.gradMode() && flag(enabled, true));
        return () -> runtime.setGradMode(before);
    }

    /** Switches autocast, on unless told otherwise; running the result undoes that. What is not told stays. */
    static Runnable autocast(
            EagerRuntime runtime, @Nullable Argument type, @Nullable Argument enabled, @Nullable Argument caching) {
        AutocastMode mode = runtime.autocast();
        DType to = type instanceof Argument.Type t ? t.value() : mode.state().type();
        boolean caches = flag(caching, mode.state().caching());
        AutocastMode.State before = mode.enter(new AutocastMode.State(flag(enabled, true), to, caches));
        return () -> mode.exit(before);
    }

    private static boolean flag(@Nullable Argument value, boolean otherwise) {
        return value instanceof Argument.Bool b ? b.value() : otherwise;
    }
}
