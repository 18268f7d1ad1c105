package dev.headroom.executor.op.loss;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.kernel.ReductionKernels.Kind;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import org.jspecify.annotations.Nullable;

/**
 * {@code binary_cross_entropy} (aten/src/ATen/native/cuda/Loss.cu) and {@code binary_cross_entropy_with_logits}
 * (aten/src/ATen/native/Loss.cpp): of probabilities, and of scores before the sigmoid.
 */
public final class BinaryCrossEntropy {
    /** A logarithm of nothing counts as -100. */
    private static final Formula ENTROPY = Formula.binary(
            "binary_cross_entropy",
            "-x1 * fmax(log(x0), (real) -100) - (1 - x1) * fmax(log1p(-x0), (real) -100)",
            (x, t) -> -t * Math.max(Math.log(x), -100) - (1 - t) * Math.max(Math.log1p(-x), -100));

    /** Of the result's gradient, the probabilities and the targets. */
    private static final Formula ENTROPY_BACKWARD = new Formula(
            "binary_cross_entropy_backward",
            "y0 = x0 * (x1 - x2) / fmax((1 - x1) * x1, (real) 1e-12);",
            (x, s, y) -> y[0] = x[0] * (x[1] - x[2]) / Math.max((1 - x[1]) * x[1], 1e-12));

    private static final Formula LOGIT = Formula.unary("logit", "log(x0 / (1 - x0))", x -> Math.log(x / (1 - x)));
    private static final Formula LOG_SIGMOID = Formula.unary(
            "log_sigmoid",
            "fmin((real) 0, x0) - log1p(exp(-fabs(x0)))",
            x -> Math.min(0, x) - Math.log1p(Math.exp(-Math.abs(x))));
    private static final Formula SIGMOID = Formula.unary("sigmoid", "1 / (1 + exp(-x0))", x -> 1 / (1 + Math.exp(-x)));
    private static final Formula FROM_ONE = Formula.unary("from_one", "1 - x0", x -> 1 - x);
    private static final Formula LESS_ONE = Formula.unary("less_one", "x0 - 1", x -> x - 1);
    private static final Formula ONE_MORE = Formula.unary("one_more", "x0 + 1", x -> x + 1);
    private static final Formula DIVIDED = new Formula("divided", "y0 = x0 / s0;", (x, s, y) -> y[0] = x[0] / s[0]);

    private static final int MEAN = 1;

    private BinaryCrossEntropy() {}

    public static void register(Operators o) {
        o.add1("aten.binary_cross_entropy", BinaryCrossEntropy::ofProbabilities);
        o.add1("aten.binary_cross_entropy_with_logits", BinaryCrossEntropy::ofScores);
    }

    /** The reduced result is copied into the memory of the unreduced one, which is resized. */
    private static Tensor ofProbabilities(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        Tensor target = a.tensor("target");
        Tensor weight = a.optional("weight");
        int reduction = (int) a.integer("reduction", MEAN);
        Recorder r = e.record("BinaryCrossEntropyBackward0", x, target);
        SavedTensor savedX = r.save(x);
        SavedTensor savedTarget = r.save(target);
        SavedTensor savedWeight = r.save(weight);
        Tensor out = e.call(() -> {
            Tensor each = e.emptyLike(x);
            Elementwise.into(e, ENTROPY, each, x, target);
            weigh(e, each, weight);
            if (reduction == 0) {
                return each;
            }
            Tensor reduced = reduced(e, each, reduction);
            Tensor resized = LossOperators.scalarIn(e, each);
            Elementwise.into(e, Formula.COPY, resized, reduced);
            return resized;
        });
        return r.backward(g -> {
                    Tensor ofX = null;
                    if (r.needs(0)) {
                        ofX = e.emptyLike(savedX.get());
                        Elementwise.into(e, ENTROPY_BACKWARD, ofX, g[0], savedX.get(), savedTarget.get());
                        scale(e, ofX, savedWeight.getOrNull(), reduction);
                    }
                    Tensor ofTarget = null;
                    if (r.needs(1)) {
                        ofTarget = Elementwise.unary(e, LOGIT, savedX.get());
                        Elementwise.into(e, Formulas.NEGATE, ofTarget, ofTarget);
                        Elementwise.into(e, Elementwise.MULTIPLY, ofTarget, ofTarget, g[0]);
                        scale(e, ofTarget, savedWeight.getOrNull(), reduction);
                    }
                    return new Tensor[] {ofX, ofTarget};
                })
                .output(out);
    }

    private static Tensor ofScores(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        Tensor target = a.tensor("target");
        Tensor weight = a.optional("weight");
        Tensor positive = a.optional("pos_weight");
        int reduction = (int) a.integer("reduction", MEAN);
        if (positive != null && target.requiresGrad()) {
            throw new UserInputException("binary_cross_entropy_with_logits: the executor has no gradient of the target"
                    + " beside a pos_weight");
        }
        Recorder r = e.record("BinaryCrossEntropyWithLogitsBackward0", x, target);
        SavedTensor savedX = r.save(x);
        SavedTensor savedTarget = r.save(target);
        SavedTensor savedWeight = r.save(weight);
        SavedTensor savedPositive = r.save(positive);
        Tensor out = e.call(() -> scores(e, x, target, weight, positive, reduction));
        return r.backward(g -> {
                    Tensor ofX = r.needs(0)
                            ? e.call(() ->
                                    scoresGradient(e, g[0], savedX.get(), savedTarget.get(), savedPositive.getOrNull()))
                            : null;
                    scale(e, ofX, savedWeight.getOrNull(), reduction);
                    Tensor ofTarget = r.needs(1)
                            ? e.call(() -> Elementwise.binary(
                                    e, Elementwise.MULTIPLY, Elementwise.unary(e, Formulas.NEGATE, savedX.get()), g[0]))
                            : null;
                    scale(e, ofTarget, savedWeight.getOrNull(), reduction);
                    return new Tensor[] {ofX, ofTarget};
                })
                .output(out);
    }

    /** (1 - target) x - log_sigmoid(x), the latter times 1 + (pos_weight - 1) target. */
    private static Tensor scores(
            Eager e, Tensor x, Tensor target, @Nullable Tensor weight, @Nullable Tensor positive, int reduction) {
        Tensor logarithm = Elementwise.unary(e, LOG_SIGMOID, x);
        if (positive != null) {
            try (Scope s = e.open()) {
                Tensor more = Elementwise.unary(e, LESS_ONE, positive);
                Tensor factor = Elementwise.binary(e, Elementwise.MULTIPLY, more, target);
                e.free(more);
                Elementwise.into(e, ONE_MORE, factor, factor);
                Elementwise.into(e, Elementwise.MULTIPLY, logarithm, logarithm, factor);
            }
        }
        Tensor each = Elementwise.unary(e, FROM_ONE, target);
        Elementwise.into(e, Elementwise.MULTIPLY, each, each, x);
        Elementwise.into(e, Formulas.DIFFERENCE, each, each, logarithm);
        weigh(e, each, weight);
        return reduction == 0 ? each : reduced(e, each, reduction);
    }

    private static Tensor scoresGradient(Eager e, Tensor g, Tensor x, Tensor target, @Nullable Tensor positive) {
        if (positive == null) {
            Tensor out = Elementwise.unary(e, SIGMOID, x);
            Elementwise.into(e, Formulas.DIFFERENCE, out, out, target);
            Elementwise.into(e, Elementwise.MULTIPLY, out, out, g);
            return out;
        }
        Tensor share = Elementwise.binary(e, Elementwise.MULTIPLY, positive, target);
        Tensor out = Elementwise.unary(e, ONE_MORE, share);
        Elementwise.into(e, Formulas.DIFFERENCE, out, out, target);
        Tensor sigmoid = Elementwise.unary(e, SIGMOID, x);
        Elementwise.into(e, Elementwise.MULTIPLY, out, out, sigmoid);
        e.free(sigmoid);
        Elementwise.into(e, Formulas.DIFFERENCE, out, out, share);
        Elementwise.into(e, Elementwise.MULTIPLY, out, out, g);
        return out;
    }

    private static void weigh(Eager e, Tensor each, @Nullable Tensor weight) {
        if (weight != null) {
            Elementwise.into(e, Elementwise.MULTIPLY, each, each, weight);
        }
    }

    /** A gradient of each element times its weight, divided by their number where the loss is a mean. */
    private static void scale(Eager e, @Nullable Tensor gradient, @Nullable Tensor weight, int reduction) {
        if (gradient == null) {
            return;
        }
        weigh(e, gradient, weight);
        if (reduction == MEAN) {
            Elementwise.into(e, DIVIDED, new double[] {gradient.elements()}, gradient, gradient);
        }
    }

    /** A mean or a sum of all elements. */
    static Tensor reduced(Eager e, Tensor each, int reduction) {
        Tensor out = e.empty(Promotion.floating(each.dtype()));
        LossOperators.reduceInto(e, out, each, reduction == MEAN ? Kind.MEAN : Kind.SUM);
        return out;
    }
}
