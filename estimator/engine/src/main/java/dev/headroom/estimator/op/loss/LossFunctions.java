package dev.headroom.estimator.op.loss;

import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.elementwise.Blending;
import dev.headroom.estimator.op.loss.Losses.Reduction;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Losses inside a graph (ATen/native/Loss.cpp, LossNLL.cpp, ATen/native/cuda/Loss.cu). */
final class LossFunctions {
    private LossFunctions() {}

    /** at::Reduction: 0 none, 1 mean (the default), 2 sum. */
    static Reduction reduction(Call c) {
        return Reduction.values()[(int) c.integer("reduction", 1)];
    }

    /** {@code apply_loss_reduction}. */
    static Tensor reduce(EagerRuntime rt, Tensor loss, Reduction reduction) {
        return switch (reduction) {
            case NONE -> loss;
            case MEAN -> Reductions.mean(rt, loss, null, false, loss.dtype());
            case SUM -> Reductions.sum(rt, loss, null, false, loss.dtype());
        };
    }

    /** Takes the reduction of a temporary. */
    static Tensor reduceFreeing(EagerRuntime rt, Tensor loss, Reduction reduction) {
        Tensor out = reduce(rt, loss, reduction);
        rt.freeUnless(loss, out);
        return out;
    }

    static Tensor smoothL1(Call c) {
        return Losses.shrunk(c.runtime(), "SmoothL1LossBackward0", c.tensor("self"), c.tensor("target"), reduction(c));
    }

    static Tensor huber(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor y = c.tensor("target");
        Recorder r = rt.record("HuberLossBackward0", x, y);
        Saved self = r.save(x);
        Saved target = r.save(y);
        Tensor out = unrecorded(rt, Strided.result(rt, x, y), reduction(c));
        return r.gradient(0, g -> rt.empty(self.get().dtype(), self.get().sizes()))
                .gradient(1, g -> rt.empty(target.get().dtype(), target.get().sizes()))
                .output(out);
    }

    /** A kernel's own reduction: below autograd. */
    private static Tensor unrecorded(EagerRuntime rt, Tensor loss, Reduction reduction) {
        if (reduction == Reduction.NONE) {
            return loss;
        }
        Tensor out = Reductions.reduce(
                rt, loss, Reductions.mask(null, loss.dim()), false, loss.dtype(), Reductions.accumulator(loss.dtype()));
        rt.free(loss);
        return out;
    }

    static Tensor l1(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor difference = Pointwise.sub(rt, c.tensor("self"), c.tensor("target"));
        Tensor absolute = Unary.apply(rt, "AbsBackward0", difference, Unary.Keep.SELF, Unary.THROUGH_ONE, false);
        Tensor out = reduceFreeing(rt, absolute, reduction(c));
        rt.free(difference);
        return out;
    }

    /** The scalar is written back into the memory of the losses. */
    private static Tensor reduceInPlace(EagerRuntime rt, Tensor loss, Reduction reduction) {
        if (reduction == Reduction.NONE) {
            return loss;
        }
        Tensor reduced = Reductions.reduce(
                rt, loss, Reductions.mask(null, loss.dim()), false, loss.dtype(), Reductions.accumulator(loss.dtype()));
        Tensor out = Losses.scalarIn(rt, loss);
        rt.free(reduced);
        rt.free(loss);
        return out;
    }

    static Tensor binaryCrossEntropy(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record("BinaryCrossEntropyBackward0", x, c.tensor("target"));
        Saved self = r.save(x);
        r.save(c.tensor("target"));
        r.save(c.tensorOrNull("weight"));
        Tensor loss = rt.emptyLike(x);
        Tensor out = reduceInPlace(rt, loss, reduction(c));
        return r.gradient(0, g -> rt.emptyLike(self.get()))
                .gradient(1, g -> rt.emptyLike(self.get()))
                .output(out);
    }

    static Tensor withLogits(Call c) {
        return withLogits(
                c.runtime(),
                c.tensor("self"),
                c.tensor("target"),
                c.tensorOrNull("weight"),
                c.tensorOrNull("pos_weight"),
                reduction(c));
    }

    static Tensor withLogits(
            EagerRuntime rt,
            Tensor x,
            Tensor target,
            @Nullable Tensor factors,
            @Nullable Tensor positive,
            Reduction reduction) {
        Recorder r = rt.record("BinaryCrossEntropyWithLogitsBackward0", x, target);
        Saved self = r.save(x);
        r.save(target);
        r.save(factors);
        Saved weight = r.save(positive);
        Saved labels = r.save(target);
        Tensor logs = rt.emptyLike(x);
        if (positive != null) {
            Tensor less = Pointwise.op(rt, positive);
            Tensor factor = Pointwise.op(rt, less, target);
            rt.free(less);
            rt.free(factor);
        }
        Tensor loss = rt.emptyLike(target);
        Tensor out = unrecorded(rt, loss, reduction);
        rt.free(logs);
        return r.gradient(0, g -> {
                    Formula f = new Formula(rt);
                    Tensor more = weight.getOrNull();
                    if (more == null) {
                        return f.op(self.get());
                    }
                    Tensor t = f.op(more, labels.get());
                    Tensor gradient = f.op(t);
                    rt.free(f.op(self.get()));
                    return gradient;
                })
                .gradient(1, g -> {
                    Formula f = new Formula(rt);
                    Tensor negative = f.op(self.get());
                    Tensor gradient = f.op(negative, g);
                    if (weight.getOrNull() != null) {
                        rt.free(rt.emptyLike(self.get()));
                    }
                    rt.free(negative);
                    return gradient;
                })
                .output(out);
    }

    static Tensor softMargin(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor target = c.tensor("target");
        Recorder r = rt.record("SoftMarginLossBackward0", x);
        Saved self = r.save(x);
        Saved labels = r.save(target);
        Tensor loss = Strided.result(rt, x, target);
        Tensor out = reduceInPlace(rt, loss, reduction(c));
        return r.gradient(0, g -> {
                    Formula f = new Formula(rt);
                    Tensor negated = f.op(labels.get());
                    Tensor product = f.op(negated, self.get());
                    Tensor z = f.op(product);
                    rt.free(product);
                    rt.free(negated);
                    return f.op(z, g);
                })
                .output(out);
    }

    /** {@code (-target * (input1 - input2) + margin).clamp_min_(0)}. */
    static Tensor marginRanking(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor difference = Pointwise.sub(rt, c.tensor("input1"), c.tensor("input2"));
        Tensor sign = Pointwise.op(rt, c.tensor("target"));
        Tensor product = Pointwise.mul(rt, sign, difference);
        Tensor loss = Pointwise.add(rt, product, rt.wrappedNumber(DType.FLOAT32));
        rt.free(product);
        rt.free(sign);
        rt.free(difference);
        Unary.apply(rt, "ClampMinBackward0", loss, Unary.Keep.SELF, Blending.clampGradient(1), true);
        return reduceFreeing(rt, loss, reduction(c));
    }
}
