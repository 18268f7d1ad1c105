package dev.headroom.estimator.runtime;

/** Builds the node of an operator that autograd records. Obtained from {@link EagerRuntime#record}. */
public final class Recording {
    /** Gradient of one input from the gradient of the only output. */
    @FunctionalInterface
    public interface InputGradient {
        Tensor of(Tensor grad);
    }

    private final EagerRuntime runtime;
    private final GradNode node;
    private final InputGradient[] perInput;
    private final int[] order;
    private final Tensor[] inputs;
    private int registered;

    Recording(EagerRuntime runtime, GradNode node, Tensor... inputs) {
        this.runtime = runtime;
        this.inputs = inputs;
        this.node = node;
        this.perInput = new InputGradient[node.edges.length];
        this.order = new int[node.edges.length];
        node.backward = this::runPerInput;
    }

    /** Whether input {@code i} (in the order given to {@code record}) wants a gradient. */
    public boolean needs(int i) {
        return node.edges[i] != null;
    }

    /** Number of inputs given to {@code record}. */
    public int inputs() {
        return node.edges.length;
    }

    /** Keeps an input of the operator. */
    public Saved save(Tensor t) {
        return runtime.save(node, t, false);
    }

    /** Keeps a copy made for the purpose, which nothing else holds: it ends with the node. */
    public Saved saveCopy(Tensor copy) {
        Saved saved = save(copy);
        runtime.free(copy);
        return saved;
    }

    /** Keeps a result of the operator. */
    public Saved saveOutput(Tensor t) {
        return runtime.save(node, t, true);
    }

    /**
     * The gradient of input {@code i}, evaluated only where it is wanted. Gradients are evaluated in the order of these
     * calls; PyTorch's is the alphabetical one of the arguments' names (tools/autograd/load_derivatives.py).
     */
    public Recording gradient(int i, InputGradient gradient) {
        order[registered++] = i;
        perInput[i] = gradient;
        return this;
    }

    /** All gradients at once. */
    public Recording gradients(GradNode.Backward backward) {
        node.backward = backward;
        return this;
    }

    /** Makes {@code out} the node's next result. Call once a result, in their order; {@code null} skips one. */
    public Recording output(Tensor out) {
        if (inputs.length > 0 && inputs[0] == out && out != null) {
            out.storage().version++;
            if (out.base() != null) {
                ViewHistory.rebase(runtime, node, out);
                return this;
            }
        }
        runtime.addOutput(
                node,
                out,
                out != null && !out.dtype().isFloatingPoint() && !out.dtype().isComplex());
        return this;
    }

    /** A result through which no gradient flows (a mask, indices). */
    public Recording nonDifferentiable(Tensor out) {
        runtime.addOutput(node, out, true);
        return this;
    }

    private Tensor[] runPerInput(Tensor[] grads) {
        Tensor[] out = new Tensor[perInput.length];
        Tensor grad = grads[0];
        if (grad == null) {
            return out;
        }
        for (int k = 0; k < registered; k++) {
            int i = order[k];
            if (needs(i)) {
                // Temporaries of a formula end with it.
                try (Frame formula = runtime.frame()) {
                    out[i] = formula.keep(perInput[i].of(grad));
                }
            }
        }
        return out;
    }
}
