package dev.headroom.estimator.op.fused;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.Pointwise;
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
            return new Tensor[] {g[0], ofWeight};
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

    /**
     * fused_linear_cross_entropy.py: scores of some rows at a time in one buffer; the gradients are made in the forward
     * pass and kept, in the types of what they are of.
     */
    static Tensor linearCrossEntropy(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor labels = c.tensor("labels");
        Tensor padded = rt.empty(labels.dtype(), labels.size(0), labels.size(1) + 1);
        Tensor targets = rt.empty(labels.dtype(), labels.sizes());
        Tensor x = c.tensor("hidden");
        Tensor rows = Views.view(rt, x, -1, x.size(-1));
        Tensor loss = lossOfRows(rt, rows, c.tensor("weight"), targets);
        Tensor items = c.tensorOrNull("items");
        Tensor out = items == null ? loss : Pointwise.div(rt, loss, items);
        rt.freeUnless(loss, out);
        rt.free(padded);
        rt.free(targets);
        rt.free(rows);
        return out;
    }

    private static Tensor lossOfRows(EagerRuntime rt, Tensor x, Tensor weight, Tensor targets) {
        Recorder r = rt.record("LigerFusedLinearCrossEntropyFunctionBackward", x, weight);
        boolean trains = r.records();
        Tensor ofRows = rt.empty(x.dtype(), x.sizes());
        Tensor ofWeight = trains && r.needs(1) ? Creation.zeros(rt, weight.dtype(), weight.sizes()) : null;
        long n = x.size(0);
        Tensor losses = rt.empty(DType.FLOAT32, n);
        Tensor mask = rt.empty(DType.BOOL, n);
        rt.free(Reductions.sum(rt, mask, null, false, DType.INT64));
        Tensor scores = rt.empty(x.dtype(), chunk(n, weight.size(0), x.size(1)), weight.size(0));
        rt.workspaces().useBlas();
        rt.free(scores);
        Tensor loss = rt.empty(DType.FLOAT32);
        Saved keptRows = r.saveIf(trains, ofRows);
        Saved keptWeight = r.saveIf(ofWeight != null, ofWeight);
        r.gradients(g -> {
            Tensor one = rt.empty(DType.FLOAT32); // is the gradient one?
            Tensor equal = rt.empty(DType.BOOL);
            rt.free(rt.empty(DType.BOOL));
            rt.free(equal);
            rt.free(one);
            Tensor w = keptWeight.get();
            return new Tensor[] {rt.detach(keptRows.get()), w == null ? null : rt.detach(w)};
        });
        r.output(loss);
        rt.free(mask);
        rt.free(losses);
        rt.free(ofRows);
        rt.free(ofWeight);
        return loss;
    }

    /** Rows whose scores take about as much as all rows of the input. */
    private static long chunk(long rows, long entries, long width) {
        long factor = Bytes.ceilDiv(entries, width);
        long each = Bytes.ceilDiv(rows, factor);
        long power = Long.highestOneBit(each);
        return Math.min(power == each ? each : 2 * power, rows);
    }
}
