package dev.headroom.executor.autograd;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Records one call of an operator: what it saves, how gradients are computed, which tensors it made. When nothing
 * needs a gradient it takes the same calls and keeps nothing.
 */
public final class Recorder {
    private final Tape tape;
    private final @Nullable Node node;

    /** @param node {@code null} when nothing is recorded */
    Recorder(Tape tape, @Nullable Node node) {
        this.tape = tape;
        this.node = node;
    }

    /** Whether anything is recorded. */
    public boolean records() {
        return node != null;
    }

    /** Whether an input is to get a gradient ({@code should_compute_output}). */
    public boolean needs(int input) {
        return node != null && node.next[input] != null;
    }

    /** Keeps a tensor that the operator was given, or that it makes without returning it. */
    public SavedTensor save(@Nullable Tensor t) {
        return node == null || t == null ? SavedTensor.NOTHING : tape.save(node, t);
    }

    /** Keeps an input if the condition holds, as generated code asks whether a gradient that needs it is wanted. */
    public SavedTensor saveIf(boolean condition, @Nullable Tensor t) {
        return condition ? save(t) : SavedTensor.NOTHING;
    }

    /** Holds a tensor as long as the node is there, as an attribute of a Python function's {@code ctx} does. */
    public void attach(Tensor t) {
        if (node != null) {
            tape.attach(node, t);
        }
    }

    /**
     * Keeps a result of the operator: through an alias, since the node must not keep the tensor alive that keeps the
     * node alive (SavedVariable's is_output).
     */
    public SavedTensor saveOutput(@Nullable Tensor t) {
        return node == null || t == null ? SavedTensor.NOTHING : tape.saveAlias(node, t);
    }

    /** Says how gradients are computed. */
    public Recorder backward(Backward function) {
        if (node != null) {
            node.backward = function;
        }
        return this;
    }

    /** Makes a tensor a result of the operator, which links it to its inputs; returns it. */
    public Tensor output(Tensor t) {
        if (node != null) {
            tape.link(node, t);
        }
        return t;
    }

    /** Makes an input, as it is, a result of the operator: a custom function that returns what it is given. */
    public Tensor passes(Tensor alias) {
        if (node != null) {
            node.passes = true;
        }
        return output(alias);
    }

    /** For a change in place: the changed tensor is the result, and autograd notes the change even without history. */
    public Tensor changed(Tensor t) {
        t.storage().changed();
        if (node != null) {
            tape.relink(node, t);
        }
        return t;
    }
}
