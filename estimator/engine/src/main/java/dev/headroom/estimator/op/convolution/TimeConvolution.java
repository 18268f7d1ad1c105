package dev.headroom.estimator.op.convolution;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;

/** {@code conv_tbc}: a product of matrices for each place of the kernel, added up (ATen/native/ConvolutionTBC.cpp). */
final class TimeConvolution {
    private TimeConvolution() {}

    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Tensor weight = c.tensor("weight");
        Tensor bias = c.tensor("bias");
        Recorder r = rt.record("ConvTbcBackward0", t, weight, bias);
        Saved self = r.save(t);
        Saved kernel = r.save(weight);
        Saved added = r.save(bias);
        long steps = t.size(0) - weight.size(0) + 1 + 2 * c.integer("pad", 0);
        Tensor out = rt.empty(t.dtype(), steps, t.size(1), weight.size(2));
        rt.workspaces().useBlas();
        return r.gradients(grads -> grads[0] == null
                        ? new Tensor[3]
                        : backward(rt, grads[0], self.get(), kernel.get(), added.get()))
                .output(out);
    }

    /** conv_tbc_backward: all three gradients, whichever are wanted. */
    private static Tensor[] backward(EagerRuntime rt, Tensor g, Tensor t, Tensor weight, Tensor bias) {
        Tensor ofInput = Copies.clone(rt, t);
        rt.workspaces().useBlas();
        Tensor ofWeight = Copies.clone(rt, weight);
        Tensor ofBias = Copies.clone(rt, bias);
        Tensor rows = Reductions.sum(rt, g, new long[] {0}, false, g.dtype());
        Tensor sum = Reductions.sum(rt, rows, new long[] {0}, false, g.dtype());
        rt.free(sum);
        rt.free(rows);
        return new Tensor[] {ofInput, ofWeight, ofBias};
    }
}
