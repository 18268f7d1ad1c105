package dev.headroom.estimator.op.loss;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;

/** Losses that compare distributions (ATen/native/Loss.cpp). */
public final class LikelihoodLosses {
    private LikelihoodLosses() {}

    public static void register(Registry r) {
        r.single("aten.kl_div", c -> divergence(new Body(c.runtime(), r), c));
        r.single("aten.poisson_nll_loss", c -> poisson(new Body(c.runtime(), r), c));
        TemporalLoss.register(r);
    }

    private static Tensor divergence(Body b, Call c) {
        Tensor x = c.tensor("self");
        Tensor target = c.tensor("target");
        if (c.flag("log_target", false)) {
            Tensor difference = b.call("sub.Tensor", target, x);
            Tensor loss = b.let(b.call("mul.Tensor", b.call("exp", target), difference));
            return b.give(MarginLosses.reduced(b, c, loss));
        }
        Tensor cross = b.call("mul.Tensor", target, x);
        Tensor loss = b.let(b.call("sub.Tensor", b.call("xlogy.Tensor", target, target), cross));
        return b.give(MarginLosses.reduced(b, c, loss));
    }

    /** With {@code full}, Stirling's approximation of the factorial is added where the target is above one. */
    private static Tensor poisson(Body b, Call c) {
        Tensor x = c.tensor("input");
        Tensor target = c.tensor("target");
        Tensor loss;
        if (c.flag("log_input", true)) {
            Tensor product = b.call("mul.Tensor", target, x);
            loss = b.let(b.call("sub.Tensor", b.call("exp", x), product));
        } else {
            Tensor logs = b.call("log", b.call("add.Scalar", x, 1e-8));
            loss = b.let(b.call("sub.Tensor", x, b.call("mul.Tensor", target, logs)));
        }
        if (c.flag("full", false)) {
            Tensor half = b.call("mul.Scalar", b.call("log", b.call("mul.Scalar", target, 6.28)), 0.5);
            Tensor entropy = b.call("mul.Tensor", target, b.call("log", target));
            Tensor stirling = b.let(b.call("add.Tensor", b.call("sub.Tensor", entropy, target), half));
            Tensor small = b.call("le.Scalar", target, 1);
            b.call("add_.Tensor", loss, b.call("masked_fill.Scalar", stirling, small, 0));
            b.end();
            b.drop(stirling);
        }
        return b.give(MarginLosses.reduced(b, c, loss));
    }
}
