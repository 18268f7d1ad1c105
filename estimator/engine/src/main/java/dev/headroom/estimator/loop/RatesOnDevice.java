package dev.headroom.estimator.loop;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * Learning rates that are tensors, as torchao's optimizers have them: accelerate moves them to the device with the
 * optimizer's state, and the scheduler keeps copies and makes new ones each step (accelerate 1.15, optimizer.py;
 * torch/optim/lr_scheduler.py). The Trainer has two groups of parameters.
 */
final class RatesOnDevice {
    private static final int GROUPS = 2;

    private final EagerRuntime runtime;

    /** What the optimizer and the scheduler have for good. */
    private final List<Tensor> kept = new ArrayList<>();

    /** {@code _last_lr}. */
    private List<Tensor> last = List.of();

    RatesOnDevice(EagerRuntime runtime) {
        this.runtime = runtime;
    }

    /** The optimizer and the scheduler are made. */
    void begin() {
        try (Frame frame = runtime.frame()) {
            List<Tensor> moved = scalars();
            for (int group = 0; group < GROUPS; group++) { // load_state_dict copies them, each by way of another
                keep(runtime.empty(DType.FLOAT32));
                runtime.free(runtime.empty(DType.FLOAT32));
            }
            runtime.freeAll(List.of(moved.get(1), moved.get(0)));
            scalars().forEach(this::keep); // initial_lr
            scalars().forEach(this::keep); // base_lrs
            change();
        }
    }

    /** {@code lr_scheduler.step()}. */
    void change() {
        try (Frame frame = runtime.frame()) {
            List<Tensor> scaled = scalars();
            List<Tensor> copies = scalars();
            copies.forEach(this::hold);
            for (int i = last.size() - 1; i >= 0; i--) {
                runtime.release(last.get(i));
            }
            last = copies;
            runtime.freeAll(scaled);
        }
    }

    private List<Tensor> scalars() {
        List<Tensor> out = new ArrayList<>();
        for (int group = 0; group < GROUPS; group++) {
            out.add(runtime.empty(DType.FLOAT32));
        }
        return out;
    }

    void describe(Beginning to) {
        to.parts(kept);
        to.parts(last);
    }

    private void keep(Tensor t) {
        hold(t);
        kept.add(t);
    }

    private void hold(Tensor t) {
        runtime.setCategory(t, Category.OPTIMIZER_STATE);
        runtime.hold(t);
        runtime.free(t);
    }
}
