package dev.headroom.estimator.script;

import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.model.graph.DType;

/**
 * {@code torch.optim.swa_utils.AveragedModel.update_parameters} (torch/optim/swa_utils.py): the first time parameters
 * are copied, later they are interpolated in place; buffers are copied. The counter is on the host, and comes to the
 * device for each update but the first.
 */
final class Averages {
    private final EagerRuntime runtime;
    private boolean begun;

    Averages(EagerRuntime runtime) {
        this.runtime = runtime;
    }

    /** Adds whether there was an update. */
    void describe(Beginning to) {
        to.flag(begun);
    }

    void update() {
        if (begun) {
            try (Frame frame = runtime.frame()) {
                runtime.free(runtime.empty(DType.INT64));
            }
        }
        begun = true;
    }
}
