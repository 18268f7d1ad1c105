package dev.headroom.executor.program;

import dev.headroom.executor.runtime.Eager;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import dev.headroom.model.rewrite.InlinedRegions;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Switches that a program sets for some of its operators: {@code torch.set_grad_enabled} and {@code torch.autocast}.
 */
final class Mode {

    private final Eager eager;
    private final Deque<Runnable> undo = new ArrayDeque<>();

    Mode(Eager eager) {
        this.eager = eager;
    }

    /** Whether the node switches; then it is done. */
    boolean handles(Node node) {
        if (node.target().equals(InlinedRegions.LEAVE)) {
            undo.pop().run();
            return true;
        }
        if (!node.target().equals(InlinedRegions.ENTER)) {
            return false;
        }
        Boolean gradients = flag(node, InlinedRegions.GRADIENTS);
        Boolean autocast = flag(node, InlinedRegions.AUTOCAST);
        if (gradients != null) {
            boolean before = eager.tape().setEnabled(gradients);
            undo.push(() -> eager.tape().setEnabled(before));
        } else {
            eager.autocast().enter(Boolean.TRUE.equals(autocast) ? type(node) : null);
            undo.push(eager.autocast()::exit);
        }
        return true;
    }

    private static @Nullable Boolean flag(Node node, String name) {
        return node.argument(name) instanceof Argument.Bool b ? b.value() : null;
    }

    private @Nullable DType type(Node node) {
        return node.argument(InlinedRegions.TYPE) instanceof Argument.Type t
                ? t.value()
                : eager.autocast().type();
    }

    /** Undoes what an error left switched. */
    void leaveAll() {
        while (!undo.isEmpty()) {
            undo.pop().run();
        }
    }
}
