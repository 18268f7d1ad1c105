package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.rule.Registry;

/** Dropout by its names; {@link Dropout} plays it. */
public final class DropoutRules {
    private DropoutRules() {}

    public static void register(Registry r) {
        r.single(
                "aten.dropout",
                c -> Dropout.dropout(c.runtime(), c.tensor("input"), c.number("p", 0.5), c.flag("train", false)));
        // What aten.dropout calls on a GPU (ATen/native/Dropout.cpp).
        r.single(
                "aten.native_dropout",
                c -> Dropout.dropout(c.runtime(), c.tensor("input"), c.number("p", 0.5), c.flag("train", true)));
        r.single("aten.dropout_", c -> Dropout.multiplied(c, false, false));
        r.single("aten.feature_dropout", c -> Dropout.multiplied(c, true, false));
        r.single("aten.feature_dropout_", c -> Dropout.multiplied(c, true, false));
        r.single("aten.alpha_dropout", c -> Dropout.multiplied(c, false, true));
        r.single("aten.alpha_dropout_", c -> Dropout.multiplied(c, false, true));
        r.single("aten.feature_alpha_dropout", c -> Dropout.multiplied(c, true, true));
        r.single("aten.feature_alpha_dropout_", c -> Dropout.multiplied(c, true, true));
    }
}
