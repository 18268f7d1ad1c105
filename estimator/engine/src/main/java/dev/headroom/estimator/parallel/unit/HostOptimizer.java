package dev.headroom.estimator.parallel.unit;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;

/** An optimizer whose parameters, gradients and state are in host memory: its steps take nothing of the GPU's. */
public enum HostOptimizer implements Optimizer {
    INSTANCE;

    @Override
    public void step() {
        // All of it happens in host memory.
    }

    @Override
    public List<Tensor> state(int parameter) {
        return List.of();
    }
}
