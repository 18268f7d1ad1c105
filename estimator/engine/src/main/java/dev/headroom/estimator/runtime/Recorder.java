package dev.headroom.estimator.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Records one call of an operator for the backward pass: what it saves, how gradients are computed, which results it
 * made. A rule makes the same calls whether or not any of its inputs wants a gradient; when none does, the recorder
 * keeps nothing. Obtained from {@link EagerRuntime#record}.
 */
public interface Recorder {
    /** Gradient of one input from the gradient of the only output. */
    @FunctionalInterface
    interface InputGradient {
        @Nullable
        Tensor of(Tensor grad);
    }

    /** Whether anything is recorded. */
    boolean records();

    /** Whether input {@code i} (in the order given to {@code record}) wants a gradient. */
    boolean needs(int i);

    /** Number of inputs given to {@code record}; 0 when nothing is recorded. */
    int inputs();

    /** Keeps an input of the operator; {@code null} is let through. */
    Saved save(@Nullable Tensor t);

    /** Keeps an input if the condition holds, as generated code asks whether a gradient that reads it is wanted. */
    default Saved saveIf(boolean condition, @Nullable Tensor t) {
        return condition ? save(t) : Saved.NOTHING;
    }

    /** Keeps a copy made for the purpose, which nothing else holds: it ends with the node. */
    Saved saveCopy(Tensor copy);

    /**
     * Keeps a tensor as long as the node is there, and not only until it has run, as what a Python function sets on its
     * {@code ctx} without {@code save_for_backward}.
     */
    Saved attach(Tensor t);

    /** Keeps a result of the operator. */
    Saved saveOutput(@Nullable Tensor t);

    /**
     * The gradient of input {@code i}, evaluated only where it is wanted. Gradients are evaluated in the order of these
     * calls; PyTorch's is the alphabetical one of the arguments' names (tools/autograd/load_derivatives.py).
     */
    Recorder gradient(int i, InputGradient gradient);

    /** All gradients at once. */
    Recorder gradients(GradNode.Backward backward);

    /** Says that the formulas call operators that are recorded where gradients are, and nothing else. */
    Recorder again();

    /** How the gradients are computed where they are recorded in turn ({@code create_graph=True}). */
    Recorder again(GradNode.Backward formulas);

    /**
     * Makes {@code out} the node's next result. Call once a result, in their order.
     *
     * @return {@code out}
     */
    Tensor output(Tensor out);

    /** Makes {@code out} the next result, one through which no gradient flows (a mask); {@code null} skips one. */
    Recorder nonDifferentiable(@Nullable Tensor out);

    /**
     * Makes each the node's next result; {@code null} is one that was not asked for.
     *
     * @return {@code made}
     */
    default Tensor[] outputs(Tensor[] made) {
        for (Tensor t : made) {
            if (t == null) {
                nonDifferentiable(null);
            } else {
                output(t);
            }
        }
        return made;
    }
}
