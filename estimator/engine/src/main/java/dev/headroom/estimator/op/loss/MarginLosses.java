package dev.headroom.estimator.op.loss;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.loss.Losses.Reduction;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Losses with margins (ATen/native/Loss.cpp, ATen/native/cuda/MultiMarginLoss.cu, MultiLabelMarginCriterion.cu). */
public final class MarginLosses {
    private MarginLosses() {}

    public static void register(Registry r) {
        r.single("aten.cosine_embedding_loss", c -> cosineEmbedding(new Body(c.runtime(), r), c));
        r.single("aten.hinge_embedding_loss", c -> hinge(new Body(c.runtime(), r), c));
        r.single("aten.triplet_margin_loss", c -> triplet(r, c));
        r.single("aten.multi_margin_loss", MarginLosses::multiMargin);
        r.single("aten.multilabel_margin_loss", MarginLosses::multilabel);
    }

    static Tensor reduced(Body b, Call c, Tensor loss) {
        return switch (LossFunctions.reduction(c)) {
            case NONE -> loss;
            case MEAN -> b.call("mean", loss);
            case SUM -> b.call("sum", loss);
        };
    }

    /** {@code number - t}: filled with the number, subtracted from in place (ATen/TensorOperators.h). */
    static Tensor numberMinus(Body b, Tensor t) {
        return b.call("sub_.Tensor", b.made(b.runtime().emptyLike(t)), t);
    }

    private static Tensor cosineEmbedding(Body b, Call c) {
        Tensor x = c.tensor("input1");
        Tensor y = c.tensor("input2");
        Tensor target = c.tensor("target");
        long[] dim = {target.dim() == 0 ? 0 : 1};
        Tensor product = b.let(b.call("sum.dim_IntList", b.call("mul.Tensor", x, y), dim));
        Tensor xx = b.let(b.call("add.Scalar", b.call("sum.dim_IntList", b.call("mul.Tensor", x, x), dim), 1e-8));
        Tensor yy = b.let(b.call("add.Scalar", b.call("sum.dim_IntList", b.call("mul.Tensor", y, y), dim), 1e-8));
        Tensor norm = b.let(b.call("sqrt_", b.call("mul.Tensor", xx, yy)));
        Tensor cosine = b.let(b.call("div.Tensor", product, norm));
        Tensor zeros = b.let(b.made(b.runtime().emptyLike(cosine)));
        Tensor alike = b.let(numberMinus(b, cosine));
        Tensor apart = b.let(b.call("clamp_min_", b.call("sub.Scalar", cosine, c.number("margin", 0)), 0));
        Tensor positive = b.let(b.call("where.self", b.call("eq.Scalar", target, 1), alike, zeros));
        Tensor negative = b.let(b.call("where.self", b.call("eq.Scalar", target, -1), apart, zeros));
        Tensor loss = b.let(b.call("add.Tensor", positive, negative));
        return b.give(reduced(b, c, loss));
    }

    private static Tensor hinge(Body b, Call c) {
        Tensor x = c.tensor("self");
        Tensor target = c.tensor("target");
        Tensor zeros = b.let(b.made(b.runtime().emptyLike(x)));
        Tensor distance = b.let(numberMinus(b, x));
        b.let(b.call("clamp_min_", distance, 0));
        Tensor apart = b.let(b.call("where.self", b.call("ne.Scalar", target, 1), distance, zeros));
        Tensor alike = b.let(b.call("where.self", b.call("ne.Scalar", target, -1), x, zeros));
        Tensor loss = b.let(b.call("add.Tensor", apart, alike));
        return b.give(reduced(b, c, loss));
    }

    private static Tensor triplet(Registry r, Call c) {
        Body b = new Body(c.runtime(), r);
        Tensor anchor = c.tensor("anchor");
        Tensor negative = c.tensor("negative");
        double p = c.number("p", 2);
        Tensor near = b.let(distance(b, anchor, c.tensor("positive"), p));
        Tensor far = b.let(distance(b, anchor, negative, p));
        if (c.flag("swap", false)) {
            Tensor swapped = b.let(distance(b, c.tensor("positive"), negative, p));
            far = b.assign(far, b.call("minimum", far, swapped));
            b.drop(swapped);
        }
        Tensor difference = b.call("sub.Tensor", b.call("add.Scalar", near, c.number("margin", 1)), far);
        Tensor loss = b.let(b.call("clamp_min", difference, 0));
        return b.give(reduced(b, c, loss));
    }

    private static Tensor distance(Body b, Tensor x, Tensor y, double p) {
        return b.call("pairwise_distance", x, y, p);
    }

    private static Tensor multiMargin(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record("MultiMarginLossBackward0", x);
        Saved self = r.save(x);
        r.save(c.tensor("target"));
        r.save(c.tensorOrNull("weight"));
        boolean whole = LossFunctions.reduction(c) == Reduction.NONE;
        long rows = x.dim() < 2 ? 1 : x.size(0);
        Tensor out = whole && x.dim() == 2 ? rt.empty(x.dtype(), rows) : rt.empty(x.dtype());
        if (!whole && x.dim() == 2) {
            rt.free(rt.empty(x.dtype(), rows));
        }
        return r.gradient(0, g -> rt.empty(self.get().dtype(), self.get().sizes()))
                .output(out);
    }

    private static Tensor multilabel(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Tensor target = c.tensor("target");
        Recorder r = rt.record("MultilabelMarginLossBackward0", x);
        Saved self = r.save(x);
        r.save(target);
        Tensor isTarget = rt.empty(x.dtype(), target.sizes());
        r.saveOutput(isTarget);
        boolean whole = LossFunctions.reduction(c) == Reduction.NONE;
        Tensor parts = whole || x.dim() < 2 ? null : rt.empty(DType.FLOAT32, x.size(0));
        Tensor out = whole && x.dim() == 2 ? rt.empty(x.dtype(), x.size(0)) : rt.empty(x.dtype());
        rt.free(parts);
        rt.free(isTarget);
        return r.gradient(0, g -> rt.emptyLike(self.get())).output(out);
    }
}
