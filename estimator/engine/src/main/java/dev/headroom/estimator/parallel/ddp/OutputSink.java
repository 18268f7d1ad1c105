package dev.headroom.estimator.parallel.ddp;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import java.util.Arrays;

/** A node behind the model's outputs, which copies them (torch/nn/parallel/distributed.py, _DDPSink). */
final class OutputSink {
    private OutputSink() {}

    /**
     * Copies outputs through the node; those without history stay themselves.
     *
     * @param made with a reference each that passes over
     * @param begins runs when the backward pass comes to the node
     * @return with a reference each for the caller
     */
    static Tensor[] behind(EagerRuntime runtime, Tensor[] made, Runnable begins) {
        try (Frame frame = runtime.frame()) {
            Tensor[] present = Arrays.stream(made).filter(t -> t != null).toArray(Tensor[]::new);
            Recorder node = runtime.record("_DDPSinkBackward", present);
            boolean before = runtime.setGradMode(false);
            Tensor[] copies = new Tensor[made.length];
            for (int i = 0; i < made.length; i++) {
                copies[i] = made[i] == null ? null : Copies.clone(runtime, made[i]);
            }
            runtime.setGradMode(before);
            for (int i = 0; i < made.length; i++) {
                if (made[i] == null) {
                    continue;
                }
                if (made[i].requiresGrad()) {
                    node.output(copies[i]);
                } else {
                    node.nonDifferentiable(null);
                    copies[i] = made[i];
                }
            }
            node.gradients(gradients -> {
                begins.run();
                return gradients;
            });
            for (int i = 0; i < made.length; i++) {
                runtime.hold(copies[i]);
                runtime.release(made[i]);
            }
            return copies;
        }
    }
}
