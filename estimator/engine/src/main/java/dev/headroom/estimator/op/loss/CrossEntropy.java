package dev.headroom.estimator.op.loss;

import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.elementwise.Blending;
import dev.headroom.estimator.op.loss.Losses.Reduction;
import dev.headroom.estimator.op.normalization.Softmax;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** {@code cross_entropy} with label smoothing or class probabilities (ATen/native/LossNLL.cpp). */
final class CrossEntropy {
    private CrossEntropy() {}

    static Tensor run(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor target = c.tensor("target");
        Tensor weight = c.tensorOrNull("weight");
        boolean smooth = c.number("label_smoothing", 0) > 0;
        if (Arrays.equals(x.sizes(), target.sizes())) {
            return probabilities(c, x, target, weight, smooth);
        }
        return smooth
                ? smoothed(c, x, target, weight)
                : Losses.crossEntropy(rt, x, target, weight, LossFunctions.reduction(c));
    }

    private static Tensor negated(EagerRuntime rt, Tensor t) {
        Tensor out = Unary.apply(rt, "NegBackward0", t, Unary.Keep.NOTHING, Unary.SCALED, false);
        return out;
    }

    private static Tensor perRow(EagerRuntime rt, Tensor t, int classes) {
        return Reductions.sum(rt, t, new long[] {classes}, false, summed(rt, t));
    }

    /** Sums are in float32 under autocast (autocast_mode.h, AT_FORALL_FP32_SET_OPT_DTYPE). */
    private static DType summed(EagerRuntime rt, Tensor t) {
        return rt.autocast().active() && t.dtype().isReducedFloat() ? DType.FLOAT32 : t.dtype();
    }

    private static Tensor probabilities(Call c, Tensor x, Tensor target0, @Nullable Tensor weight, boolean smooth) {
        EagerRuntime rt = c.runtime();
        int classes = x.dim() == 1 ? 0 : 1;
        Tensor logs = Softmax.apply(rt, "LogSoftmaxBackward0", x, x.dim() == 1 ? 0 : 1, x.dtype());
        Tensor target = target0;
        if (smooth) {
            Tensor scaled = Pointwise.mul(rt, target0, rt.wrappedNumber(DType.FLOAT32));
            target = Pointwise.add(rt, scaled, rt.wrappedNumber(DType.FLOAT32));
            rt.free(scaled);
        }
        Tensor product = Pointwise.mul(rt, logs, target);
        Tensor weighted = weight == null ? product : Pointwise.mul(rt, product, seenBy(rt, weight, x, classes));
        Reduction reduction = LossFunctions.reduction(c);
        Tensor sum = reduction == Reduction.NONE
                ? perRow(rt, weighted, classes)
                : Reductions.sum(rt, weighted, null, false, summed(rt, weighted));
        Tensor negative = negated(rt, sum);
        Tensor out = reduction == Reduction.MEAN
                ? Pointwise.divByNumber(rt, negative, rt.wrappedNumber(DType.INT64))
                : negative;
        rt.freeUnless(negative, out);
        rt.free(sum);
        rt.freeUnless(weighted, product);
        rt.free(product);
        rt.freeUnless(target, target0);
        rt.free(logs);
        return out;
    }

    private static Tensor seenBy(EagerRuntime rt, Tensor weight, Tensor x, int classes) {
        long[] sizes = new long[x.dim()];
        Arrays.fill(sizes, 1);
        sizes[classes] = weight.numel();
        return Views.view(rt, weight, sizes);
    }

    /** cross_entropy_loss_label_smoothing. */
    private static Tensor smoothed(Call c, Tensor x, Tensor target, @Nullable Tensor weight) {
        EagerRuntime rt = c.runtime();
        int classes = x.dim() == 1 ? 0 : 1;
        Reduction reduction = LossFunctions.reduction(c);
        if (weight != null && reduction == Reduction.MEAN) {
            throw new NoRule(
                    "cross_entropy with weights and smoothing selects by the labels' values, which no archive holds");
        }
        Tensor logs = Softmax.apply(rt, "LogSoftmaxBackward0", x, x.dim() == 1 ? 0 : 1, x.dtype());
        Tensor hard = Losses.nllOfAnyRank(rt, logs, target, weight, reduction);
        Tensor weighted = weight == null ? null : Pointwise.mul(rt, logs, seenBy(rt, weight, x, classes));
        Tensor sum = perRow(rt, weighted == null ? logs : weighted, classes);
        Tensor soft = negated(rt, sum);
        rt.free(sum);
        rt.free(weighted);
        Tensor ignored = Strided.result(rt, DType.BOOL, target);
        Blending.maskedFill(rt, soft, ignored, true);
        Tensor reduced = soft;
        if (reduction == Reduction.MEAN) {
            Tensor counted = Strided.result(rt, DType.BOOL, ignored);
            Tensor count = Reductions.sum(rt, counted, null, false, DType.INT64);
            Tensor total = Reductions.sum(rt, soft, null, false, summed(rt, soft));
            reduced = Pointwise.div(rt, total, count);
            rt.free(total);
            rt.free(count);
            rt.free(counted);
        } else if (reduction == Reduction.SUM) {
            reduced = Reductions.sum(rt, soft, null, false, summed(rt, soft));
        }
        Tensor second = Pointwise.mul(rt, reduced, rt.wrappedNumber(DType.FLOAT32));
        Tensor first = Pointwise.mul(rt, hard, rt.wrappedNumber(DType.FLOAT32));
        Tensor out = Pointwise.add(rt, first, second);
        rt.free(first);
        rt.free(second);
        rt.freeUnless(reduced, soft);
        rt.free(ignored);
        rt.free(soft);
        rt.free(hard);
        rt.free(logs);
        return out;
    }
}
