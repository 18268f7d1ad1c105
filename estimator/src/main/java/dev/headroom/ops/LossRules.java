package dev.headroom.ops;

/** Losses inside a graph. */
final class LossRules {
    private LossRules() {}

    static void register(Registry r) {
        r.single(
                "aten.cross_entropy_loss",
                c -> Losses.crossEntropy(
                        c.runtime(), c.tensor("self"), c.tensor("target"), c.tensorOrNull("weight"), reduction(c)));
        r.single(
                "aten.nll_loss_nd",
                c -> Losses.nll(
                        c.runtime(), c.tensor("self"), c.tensor("target"), c.tensorOrNull("weight"), reduction(c)));
        r.single("aten.mse_loss", c -> Losses.mse(c.runtime(), c.tensor("self"), c.tensor("target"), reduction(c)));
    }

    /** at::Reduction: 0 none, 1 mean (the default), 2 sum. */
    private static Losses.Reduction reduction(Call c) {
        return Losses.Reduction.values()[(int) c.integer("reduction", 1)];
    }
}
