package dev.headroom.executor.op.recurrent;

import dev.headroom.executor.op.basic.Multiprocessors;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.graph.DType;
import java.util.Objects;

/**
 * The states of cuDNN's random generators: made with the first call that drops something, after a seed that is drawn on
 * the device, and kept (aten/src/ATen/native/cudnn/RNN.cpp, get_dropout_state).
 */
final class DropoutStates {
    private DropoutStates() {}

    /** Of the run's device. */
    static Tensor of(Eager e) {
        return e.keptOnce(DropoutStates.class, () -> made(e));
    }

    private static Tensor made(Eager e) {
        try (Scope s = e.open()) {
            e.empty(DType.INT64);
        }
        Gpu gpu = Objects.requireNonNull(e.settings().gpu());
        long threads = (long) gpu.sms() * Multiprocessors.threads(gpu);
        // cuDNN 9 has one for every other thread that an H100 can hold, null libraries one for each.
        long generators = e.settings().cudnnPlans() ? threads / 2 : threads;
        return e.workspace(e.backend().recurrent().dropoutStatesBytes(generators));
    }
}
