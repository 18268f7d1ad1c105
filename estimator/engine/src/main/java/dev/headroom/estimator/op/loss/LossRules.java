package dev.headroom.estimator.op.loss;

import dev.headroom.estimator.op.rule.Registry;

/** Losses inside a graph; {@link LossFunctions} and {@link CrossEntropy} play them. */
public final class LossRules {
    private LossRules() {}

    public static void register(Registry r) {
        r.single("aten.cross_entropy_loss", CrossEntropy::run);
        // nll_loss_nd calls one of the others, which are what autograd sees (ATen/native/LossNLL.cpp).
        String forms = "nll_loss_nd nll_loss nll_loss2d nll_loss_forward nll_loss2d_forward";
        for (String name : forms.split(" ")) {
            r.single(
                    "aten." + name,
                    c -> Losses.nllOfAnyRank(
                            c.runtime(),
                            c.tensor("self"),
                            c.tensor("target"),
                            c.tensorOrNull("weight"),
                            LossFunctions.reduction(c)));
        }
        r.single(
                "aten.mse_loss",
                c -> Losses.mse(c.runtime(), c.tensor("self"), c.tensor("target"), LossFunctions.reduction(c)));
        r.single("aten.smooth_l1_loss", LossFunctions::smoothL1);
        r.single("aten.huber_loss", LossFunctions::huber);
        r.single("aten.l1_loss", LossFunctions::l1);
        r.single("aten.binary_cross_entropy", LossFunctions::binaryCrossEntropy);
        r.single("aten.binary_cross_entropy_with_logits", LossFunctions::withLogits);
        r.single("aten.soft_margin_loss", LossFunctions::softMargin);
        r.single("aten.margin_ranking_loss", LossFunctions::marginRanking);
    }
}
