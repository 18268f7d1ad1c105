package dev.headroom.estimator.op.fused;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Liger's kernels (liger_kernel 0.8.5, ops): most of them work in the memory of what they are given. */
final class Liger {
    private Liger() {}

    /** rms_norm.py: the result and a number a row; backward, gradients of rows take the place of the result's. */
    static Tensor rmsNorm(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor weight = c.tensor("weight");
        Recorder r = rt.record("LigerRMSNormFunctionBackward", x, weight);
        long columns = x.size(-1);
        Tensor out = rt.empty(x.dtype(), x.sizes());
        Tensor deviations = rt.empty(DType.FLOAT32, x.numel() / columns);
        r.save(x);
        r.save(weight);
        r.save(deviations);
        boolean needsWeight = r.needs(1);
        DType type = weight.dtype();
        r.gradients(g -> {
            Tensor ofWeight = null;
            if (needsWeight) {
                Tensor parts = rt.empty(DType.FLOAT32, rt.device().sms(), columns);
                Tensor sum = Reductions.sum(rt, parts, new long[] {0}, false, DType.FLOAT32);
                ofWeight = type == DType.FLOAT32 ? sum : Copies.to(rt, sum, type);
                rt.freeUnless(sum, ofWeight);
                rt.free(parts);
            }
            // A view of rows, which keeps what it is a view of.
            Tensor ofRows = rt.view(g[0], g[0].sizes(), g[0].strides(), g[0].offset());
            return new Tensor[] {ofRows, ofWeight};
        });
        r.output(out);
        rt.free(deviations);
        return out;
    }

    /** rope.py: queries and keys are turned in place, and so are their gradients. */
    static Tensor rope(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record("LigerRopeFunctionBackward", x);
        r.save(c.tensor("cos"));
        r.save(c.tensor("sin"));
        return r.gradient(0, g -> {
                    Tensor rows = Views.transpose(rt, g, 1, 2);
                    Tensor dense = Copies.contiguous(rt, rows);
                    return dense == rows ? g : Views.transpose(rt, dense, 1, 2);
                })
                .output(rt.detach(x));
    }

    /** swiglu.py and geglu.py: gradients take the place of both factors. */
    static Tensor gate(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor gate = c.tensor("self");
        Tensor up = c.tensor("other");
        Recorder r = rt.record("LigerSiLUMulFunctionBackward", gate, up);
        Saved a = r.save(gate);
        Saved b = r.save(up);
        return r.gradients(g -> new Tensor[] {rt.detach(a.get()), rt.detach(b.get())})
                .output(rt.emptyLike(gate));
    }
}
