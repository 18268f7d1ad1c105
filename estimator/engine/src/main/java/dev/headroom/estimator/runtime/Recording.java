package dev.headroom.estimator.runtime;

import org.jspecify.annotations.Nullable;

/** The recorder of an operator that some input wants a gradient of: builds its node. */
final class Recording implements Recorder {
    private final Tape tape;
    private final EagerRuntime runtime;
    private final GradNode node;
    private final InputGradient[] perInput;
    private final int[] order;
    private final Tensor[] inputs;
    private int registered;

    Recording(Tape tape, EagerRuntime runtime, GradNode node, Tensor... inputs) {
        this.tape = tape;
        this.runtime = runtime;
        this.inputs = inputs;
        this.node = node;
        this.perInput = new InputGradient[node.edges.length];
        this.order = new int[node.edges.length];
        node.backward = this::runPerInput;
    }

    @Override
    public boolean records() {
        return true;
    }

    @Override
    public boolean needs(int i) {
        return node.edges[i] != null && tape.computes(node, node.edges[i]);
    }

    @Override
    public int inputs() {
        return node.edges.length;
    }

    @Override
    public Saved save(@Nullable Tensor t) {
        return tape.save(node, t, false);
    }

    @Override
    public Saved saveCopy(Tensor copy) {
        Saved saved = save(copy);
        runtime.free(copy);
        return saved;
    }

    @Override
    public Saved attach(Tensor t) {
        return tape.attach(node, t);
    }

    @Override
    public Saved saveOutput(@Nullable Tensor t) {
        return tape.save(node, t, true);
    }

    @Override
    public Recorder gradient(int i, InputGradient gradient) {
        order[registered++] = i;
        perInput[i] = gradient;
        return this;
    }

    @Override
    public Recorder gradients(GradNode.Backward backward) {
        node.backward = backward;
        return this;
    }

    @Override
    public Recorder again() {
        node.again = node.backward;
        return this;
    }

    @Override
    public Recorder again(GradNode.Backward formulas) {
        node.again = formulas;
        return this;
    }

    @Override
    public Tensor output(Tensor out) {
        if (inputs.length > 0 && inputs[0] == out) {
            out.storage().version++;
            if (out.base() != null) {
                ViewHistory.rebase(runtime, node, out);
                return out;
            }
        }
        tape.addOutput(node, out, !out.dtype().isFloatingPoint() && !out.dtype().isComplex());
        return out;
    }

    @Override
    public Recorder nonDifferentiable(@Nullable Tensor out) {
        tape.addOutput(node, out, true);
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

    /** The recorder of operators that nothing wants a gradient of: it takes all calls and keeps nothing. */
    static final class None implements Recorder {
        private final EagerRuntime runtime;

        None(EagerRuntime runtime) {
            this.runtime = runtime;
        }

        @Override
        public boolean records() {
            return false;
        }

        @Override
        public boolean needs(int i) {
            return false;
        }

        @Override
        public int inputs() {
            return 0;
        }

        @Override
        public Saved save(@Nullable Tensor t) {
            return Saved.NOTHING;
        }

        @Override
        public Saved saveCopy(Tensor copy) {
            runtime.free(copy);
            return Saved.NOTHING;
        }

        @Override
        public Saved attach(Tensor t) {
            return Saved.NOTHING;
        }

        @Override
        public Saved saveOutput(@Nullable Tensor t) {
            return Saved.NOTHING;
        }

        @Override
        public Recorder gradient(int i, InputGradient gradient) {
            return this;
        }

        @Override
        public Recorder gradients(GradNode.Backward backward) {
            return this;
        }

        @Override
        public Recorder again() {
            return this;
        }

        @Override
        public Recorder again(GradNode.Backward formulas) {
            return this;
        }

        @Override
        public Tensor output(Tensor out) {
            return out;
        }

        @Override
        public Recorder nonDifferentiable(@Nullable Tensor out) {
            return this;
        }
    }
}
