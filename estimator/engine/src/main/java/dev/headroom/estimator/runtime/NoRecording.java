package dev.headroom.estimator.runtime;

/** The recorder of operators that nothing wants a gradient of: it takes all calls and keeps nothing. */
final class NoRecording implements Recorder {
    private final EagerRuntime runtime;

    NoRecording(EagerRuntime runtime) {
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
    public Saved save(Tensor t) {
        return Saved.NOTHING;
    }

    @Override
    public Saved saveCopy(Tensor copy) {
        runtime.free(copy);
        return Saved.NOTHING;
    }

    @Override
    public Saved saveOutput(Tensor t) {
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
    public Tensor output(Tensor out) {
        return out;
    }

    @Override
    public Recorder nonDifferentiable(Tensor out) {
        return this;
    }
}
