package dev.headroom.estimator.program;

import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;

/** The backward pass of an operator without a rule: all inputs are kept, each gets a fresh gradient. */
final class Fallback {
    private Fallback() {}

    static void record(EagerRuntime rt, String operator, Tensor[] inputs, Tensor[] outputs) {
        Recorder r = rt.record(operator, inputs);
        if (!r.records()) {
            return;
        }
        long[][] sizes = new long[inputs.length][];
        for (int i = 0; i < inputs.length; i++) {
            sizes[i] = inputs[i].sizes();
            r.save(inputs[i]);
        }
        dev.headroom.model.graph.DType[] types = new dev.headroom.model.graph.DType[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            types[i] = inputs[i].dtype();
        }
        r.gradients(grads -> {
            Tensor[] out = new Tensor[sizes.length];
            for (int i = 0; i < out.length; i++) {
                if (r.needs(i)) {
                    out[i] = rt.empty(types[i], sizes[i]);
                }
            }
            return out;
        });
        for (Tensor t : outputs) {
            r.output(t);
        }
    }
}
