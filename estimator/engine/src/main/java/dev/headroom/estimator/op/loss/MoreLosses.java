package dev.headroom.estimator.op.loss;

import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.indexing.Gathered;
import dev.headroom.estimator.op.normalization.Softmax;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Losses that training scripts compute of several operators. */
public final class MoreLosses {
    private MoreLosses() {}

    /** {@code F.binary_cross_entropy_with_logits(out, target.view_as(out).float())}. */
    public static Tensor binary(EagerRuntime rt, Tensor out, Tensor target) {
        Tensor labels = Copies.to(rt, target, DType.FLOAT32);
        Tensor loss = LossFunctions.withLogits(rt, out, labels, null, null, Losses.Reduction.MEAN);
        rt.freeUnless(labels, target);
        return loss;
    }

    /**
     * The mean of {@code confidence * -logs.gather(target) + smoothing * -logs.mean(-1)} (timm/loss/cross_entropy.py,
     * LabelSmoothingCrossEntropy.forward), whose names live until the function returns.
     */
    public static Tensor smoothed(EagerRuntime rt, Tensor out, Tensor target) {
        boolean wide = rt.autocast().active() && out.dtype().isReducedFloat();
        Tensor logs = Softmax.apply(rt, "LogSoftmaxBackward0", out, -1, wide ? DType.FLOAT32 : out.dtype());
        Tensor index = Views.unsqueeze(rt, target, 1);
        Tensor picked = Gathered.along(rt, logs, index);
        rt.free(index);
        Tensor negated = Unary.apply(rt, "NegBackward0", picked, Unary.Keep.NOTHING, Unary.SCALED, false);
        rt.free(picked);
        Tensor nll = Views.squeeze(rt, negated, 1);
        rt.free(negated);
        Tensor mean = Reductions.mean(rt, logs, new long[] {logs.dim() - 1}, false, logs.dtype());
        Tensor smooth = Unary.apply(rt, "NegBackward0", mean, Unary.Keep.NOTHING, Unary.SCALED, false);
        rt.free(mean);
        Tensor number = rt.wrappedNumber(DType.FLOAT32);
        Tensor a = Pointwise.mul(rt, nll, number);
        Tensor b = Pointwise.mul(rt, smooth, number);
        Tensor sum = Pointwise.add(rt, a, b);
        rt.free(a);
        rt.free(b);
        Tensor loss = Reductions.mean(rt, sum, null, false, sum.dtype());
        rt.free(sum);
        rt.free(smooth);
        rt.free(nll);
        rt.free(logs);
        return loss;
    }
}
