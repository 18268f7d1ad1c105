package dev.headroom.executor.op.composite;

import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Views;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Distances and the losses that are made of them (aten/src/ATen/native/Loss.cpp, Distance.cpp): one call here for each
 * statement there, whose temporaries end with it.
 */
public final class MarginLosses {
    private static final double EPSILON = 1e-8;

    private MarginLosses() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.cosine_embedding_loss", MarginLosses::cosineEmbedding);
        Calls.add(o, "aten.hinge_embedding_loss", MarginLosses::hinge);
        Calls.add(o, "aten.triplet_margin_loss", MarginLosses::triplet);
        Calls.add(o, "aten.margin_ranking_loss", MarginLosses::ranking);
        Calls.add(o, "aten.poisson_nll_loss", MarginLosses::poisson);
        Calls.add(o, "aten.cosine_similarity", MarginLosses::cosine);
        Calls.add(
                o,
                "aten.pairwise_distance",
                (c, a) -> distance(
                        c,
                        a.tensor("x1"),
                        a.tensor("x2"),
                        a.real("p", 2),
                        a.real("eps", 1e-6),
                        a.flag("keepdim", false)));
    }

    private static Tensor op(Calls c, String name, Tensor x, Object other) {
        return c.call(name, "self", x, "other", other);
    }

    /** {@code number - t}: filled with the number, subtracted from in place (aten/src/ATen/TensorOperators.h). */
    private static Tensor from(Calls c, double number, Tensor t) {
        Tensor filled = c.e().emptyLike(t);
        c.e().backend().elementwise().fill(filled, number);
        return op(c, "sub_", filled, t);
    }

    private static Tensor zeros(Calls c, Tensor like) {
        Tensor out = c.e().emptyLike(like);
        c.e().backend().elementwise().fill(out, 0);
        return out;
    }

    private static Tensor chosen(Calls c, String test, Tensor target, double value, Tensor yes, Tensor no) {
        return c.e().call(() -> c.call("where", "condition", op(c, test, target, value), "self", yes, "other", no));
    }

    private static Tensor dotted(Calls c, Tensor x, Tensor y, long... dim) {
        return c.call("sum", "self", op(c, "mul", x, y), "dim", dim);
    }

    private static Tensor cosineEmbedding(Calls c, Arguments a) {
        Tensor x = a.tensor("input1");
        Tensor y = a.tensor("input2");
        Tensor target = a.tensor("target");
        long[] dim = {target.dims() == 0 ? 0 : 1};
        Tensor product = c.e().call(() -> dotted(c, x, y, dim));
        Tensor xx = c.e().call(() -> op(c, "add", dotted(c, x, x, dim), EPSILON));
        Tensor yy = c.e().call(() -> op(c, "add", dotted(c, y, y, dim), EPSILON));
        Tensor norm = c.e().call(() -> c.call("sqrt_", "self", op(c, "mul", xx, yy)));
        Tensor cosine = op(c, "div", product, norm);
        Tensor zeros = zeros(c, cosine);
        Tensor alike = from(c, 1, cosine);
        double margin = a.real("margin", 0);
        Tensor apart = c.e().call(() -> c.call("clamp_min_", "self", op(c, "sub", cosine, margin), "min", 0));
        Tensor positive = chosen(c, "eq", target, 1, alike, zeros);
        Tensor negative = chosen(c, "eq", target, -1, apart, zeros);
        return LossComposites.reduced(c, a, op(c, "add", positive, negative));
    }

    private static Tensor hinge(Calls c, Arguments a) {
        Tensor x = a.tensor("self");
        Tensor target = a.tensor("target");
        Tensor zeros = zeros(c, x);
        Tensor distance = from(c, a.real("margin", 1), x);
        c.call("clamp_min_", "self", distance, "min", 0);
        Tensor apart = chosen(c, "ne", target, 1, distance, zeros);
        Tensor alike = chosen(c, "ne", target, -1, x, zeros);
        return LossComposites.reduced(c, a, op(c, "add", apart, alike));
    }

    private static Tensor triplet(Calls c, Arguments a) {
        Tensor anchor = a.tensor("anchor");
        Tensor positive = a.tensor("positive");
        Tensor negative = a.tensor("negative");
        double p = a.real("p", 2);
        double eps = a.real("eps", 1e-6);
        Tensor near = c.e().call(() -> distance(c, anchor, positive, p, eps, false));
        Tensor far = c.e().call(() -> distance(c, anchor, negative, p, eps, false));
        if (a.flag("swap", false)) {
            Tensor swapped = c.e().call(() -> distance(c, positive, negative, p, eps, false));
            Tensor before = far;
            far = op(c, "minimum", before, swapped);
            c.e().free(before);
            c.e().free(swapped);
        }
        Tensor last = far;
        Tensor loss = c.e().call(() ->
                c.call("clamp_min", "self", op(c, "sub", op(c, "add", near, a.real("margin", 1)), last), "min", 0));
        return LossComposites.reduced(c, a, loss);
    }

    private static Tensor ranking(Calls c, Arguments a) {
        Tensor loss = c.e().call(() -> {
            Tensor difference = op(c, "sub", a.tensor("input1"), a.tensor("input2"));
            Tensor sign = c.call("neg", "self", a.tensor("target"));
            Tensor product = op(c, "mul", sign, difference);
            return op(c, "add", product, a.real("margin", 0));
        });
        c.call("clamp_min_", "self", loss, "min", 0);
        return LossComposites.reduced(c, a, loss);
    }

    /** With {@code full}, Stirling's approximation of the factorial is added where the target is above one. */
    private static Tensor poisson(Calls c, Arguments a) {
        Tensor x = a.tensor("input");
        Tensor target = a.tensor("target");
        boolean logs = a.flag("log_input", true);
        Tensor loss = c.e().call(() -> {
            if (logs) {
                Tensor product = op(c, "mul", target, x);
                return op(c, "sub", c.call("exp", "self", x), product);
            }
            Tensor log = c.call("log", "self", op(c, "add", x, a.real("eps", EPSILON)));
            return op(c, "sub", x, op(c, "mul", target, log));
        });
        if (a.flag("full", false)) {
            Tensor stirling = c.e().call(() -> {
                Tensor half = op(c, "mul", c.call("log", "self", op(c, "mul", target, 2 * Math.PI)), 0.5);
                Tensor entropy = op(c, "mul", target, c.call("log", "self", target));
                return op(c, "add", op(c, "sub", entropy, target), half);
            });
            c.e().call(() -> {
                Tensor small = op(c, "le", target, 1);
                Tensor filled = c.call("masked_fill", "self", stirling, "mask", small, "value", 0);
                return op(c, "add_", loss, filled);
            });
            c.e().free(stirling);
        }
        return LossComposites.reduced(c, a, loss);
    }

    /** Norms are copied and clamped where no gradient sees it. */
    private static Tensor cosine(Calls c, Arguments a) {
        Tensor x = a.tensor("x1");
        Tensor y = a.tensor("x2");
        long[] sizes = Layout.broadcast(x, y);
        long[] dim = {a.integer("dim", 1)};
        Tensor second = Views.expand(c.e(), y, sizes);
        Tensor first = Views.expand(c.e(), x, sizes);
        Tensor firstNorm = norm(c, first, dim);
        Tensor secondNorm = norm(c, second, dim);
        Tensor least = c.e().empty(first.dtype().isReducedFloat() ? DType.FLOAT32 : first.dtype());
        c.e().backend().elementwise().fill(least, a.real("eps", EPSILON));
        Elementwise.into(c.e(), Formulas.MAXIMUM, firstNorm, firstNorm, least);
        Elementwise.into(c.e(), Formulas.MAXIMUM, secondNorm, secondNorm, least);
        Tensor right = op(c, "div", second, secondNorm);
        Tensor left = op(c, "div", first, firstNorm);
        return c.call("sum", "self", op(c, "mul", left, right), "dim", dim);
    }

    private static Tensor norm(Calls c, Tensor t, long... dim) {
        return c.e().call(() -> c.call(
                "clone", "self", c.call("linalg_vector_norm", "self", t, "ord", 2.0, "dim", dim, "keepdim", true)));
    }

    /** {@code norm(x - y + eps)} along the last dimension. */
    private static Tensor distance(Calls c, Tensor x, Tensor y, double p, double eps, boolean keep) {
        long[] dim = {Math.max(x.dims(), y.dims()) - 1};
        Tensor difference = op(c, "add", op(c, "sub", x, y), eps);
        return c.call("linalg_vector_norm", "self", difference, "ord", p, "dim", dim, "keepdim", keep);
    }
}
