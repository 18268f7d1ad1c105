package dev.headroom.estimator.op.loss;

import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.runtime.Distribution;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.plan.Placement;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Cross-entropy of scores whose classes are divided among ranks (torch/distributed/tensor/parallel/loss.py). */
final class ShardedCrossEntropy {
    private final EagerRuntime rt;
    private final Distribution scores;

    private ShardedCrossEntropy(EagerRuntime rt, Distribution scores) {
        this.rt = rt;
        this.scores = scores;
    }

    static Tensor run(
            EagerRuntime rt, Tensor input, Tensor target, @Nullable Tensor weight, Losses.Reduction reduction) {
        if (input.dim() > 2 || weight != null || reduction == Losses.Reduction.NONE) {
            throw new UserInputException(
                    "`loss_parallel` is modelled for a loss of scores in two dimensions, without weights"
                            + " of classes, that is summed or averaged");
        }
        ShardedCrossEntropy loss =
                new ShardedCrossEntropy(rt, Objects.requireNonNull(input.distribution(), "divided scores"));
        Tensor logs = loss.logSoftmax(input);
        Tensor out = loss.nll(logs, target, reduction);
        rt.free(logs);
        return out;
    }

    private Tensor allReduced(Tensor t) {
        return scores.ranks().redistribute(t, Placement.PARTIAL, Placement.REPLICATE, t.sizes(), false);
    }

    private static boolean[] classes(Tensor t) {
        boolean[] mask = new boolean[t.dim()];
        mask[t.dim() - 1] = true;
        return mask;
    }

    private Tensor perRow(Tensor t) {
        return Reductions.reduce(rt, t, classes(t), true, t.dtype(), Reductions.accumulator(t.dtype()));
    }

    /** _log_softmax, in float32. */
    private Tensor logSoftmax(Tensor input) {
        Recorder r = rt.record("LogSoftmaxBackward0", input);
        boolean converts = input.dtype().isReducedFloat();
        Tensor x = converts ? rt.empty(DType.FLOAT32, input.sizes()) : input;
        Tensor ownMax = perRow(x);
        Tensor max = allReduced(ownMax);
        rt.freeUnless(ownMax, max);
        Tensor shifted = Strided.result(rt, x, max);
        Tensor exp = Strided.result(rt, shifted);
        Tensor ownSum = perRow(exp);
        rt.free(exp);
        Tensor sum = allReduced(ownSum);
        rt.freeUnless(ownSum, sum);
        Tensor log = Strided.result(rt, sum);
        Tensor wide = Strided.result(rt, shifted, log);
        Tensor out = converts ? Strided.result(rt, input.dtype(), wide) : wide;
        rt.freeUnless(wide, out);
        rt.freeUnless(x, input);
        rt.free(shifted);
        rt.free(max);
        rt.free(sum);
        rt.free(log);
        r.saveOutput(out);
        DType type = input.dtype();
        r.gradient(0, g -> g.dtype() == type ? g : Strided.result(rt, type, g)).output(out);
        Distribution.pass(input, out);
        return out;
    }

    /** {@code torch.where(target != ignore_index, t, 0)}. */
    private Tensor unlessIgnored(Tensor target, DType type) {
        Tensor counts = Strided.result(rt, DType.BOOL, target);
        Tensor zero = rt.empty(type);
        Tensor out = rt.empty(type, target.sizes());
        rt.free(zero);
        rt.free(counts);
        return out;
    }

    /** _MaskPartial._mask_tensor: the mask, then the labels counted from the rank's first class. */
    private Tensor[] masked(Tensor labels) {
        Tensor below = Strided.result(rt, DType.BOOL, labels);
        Tensor above = Strided.result(rt, DType.BOOL, labels);
        Tensor mask = Strided.result(rt, DType.BOOL, labels);
        rt.free(below);
        rt.free(above);
        Tensor copy = rt.emptyLike(labels);
        Tensor own = rt.emptyLike(labels);
        rt.free(copy);
        return new Tensor[] {mask, own};
    }

    /** _nll_loss_forward. */
    private Tensor nll(Tensor logs, Tensor target, Losses.Reduction reduction) {
        Recorder r = rt.record("NllLossBackward0", logs);
        Saved self = r.save(logs);
        Saved labels = r.save(target);
        Tensor safe = unlessIgnored(target, target.dtype());
        Tensor[] masked = masked(safe);
        Tensor partial = rt.empty(logs.dtype(), target.sizes());
        rt.free(masked[0]);
        Tensor reduced = allReduced(partial);
        Tensor negative = Strided.result(rt, reduced);
        Tensor result = unlessIgnored(target, negative.dtype());
        rt.free(negative);
        Tensor counted = Strided.result(rt, DType.BOOL, target);
        Tensor count = Reductions.sum(rt, counted, null, false, DType.INT64);
        rt.free(counted);
        Tensor total = rt.empty(logs.dtype());
        rt.free(count);
        Tensor sum = Reductions.sum(rt, result, null, false, result.dtype());
        Tensor out = sum;
        if (reduction == Losses.Reduction.MEAN) {
            out = rt.empty(sum.dtype());
            rt.free(sum);
        }
        rt.free(result);
        rt.free(safe);
        rt.free(masked[1]);
        rt.free(partial);
        rt.freeUnless(reduced, partial);
        r.saveOutput(total);
        r.gradient(0, g -> backward(g, self.get(), labels.get(), reduction)).output(out);
        r.nonDifferentiable(total);
        rt.free(total);
        return out;
    }

    /** _nll_loss_and_log_softmax_backward. */
    private Tensor backward(Tensor g, Tensor logs, Tensor target, Losses.Reduction reduction) {
        Tensor divided = reduction == Losses.Reduction.MEAN ? Strided.result(rt, g) : g;
        Tensor safe = unlessIgnored(target, target.dtype());
        Tensor gradInput = rt.empty(logs.dtype(), logs.sizes());
        Tensor[] masked = masked(safe);
        Tensor converted = rt.empty(logs.dtype(), target.sizes());
        Tensor update = Strided.result(rt, converted);
        rt.free(converted);
        Tensor range = rt.empty(DType.INT64, target.numel());
        Tensor kept = unlessIgnored(target, g.dtype());
        rt.freeUnless(divided, g);
        Tensor exp = Strided.result(rt, logs);
        Tensor sum = Strided.result(rt, gradInput, exp);
        rt.free(exp);
        Tensor out = Strided.result(rt, sum);
        rt.free(sum);
        rt.free(kept);
        rt.free(safe);
        rt.free(gradInput);
        rt.free(masked[0]);
        rt.free(masked[1]);
        rt.free(update);
        rt.free(range);
        return out;
    }
}
