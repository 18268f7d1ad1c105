package dev.headroom.estimator.op.attention;

import dev.headroom.estimator.op.rule.Registry;

/** The operator that computes attention: {@link ScaledDotProduct} plays it. */
public final class AttentionRules {
    private AttentionRules() {}

    public static void register(Registry r) {
        r.single("aten.scaled_dot_product_attention", c -> {
            AttentionCall call = new AttentionCall(
                    c.tensor("query"),
                    c.tensor("key"),
                    c.tensor("value"),
                    c.tensorOrNull("attn_mask"),
                    c.number("dropout_p", 0),
                    c.flag("is_causal", false),
                    c.flag("enable_gqa", false));
            return ScaledDotProduct.attention(c.runtime(), call);
        });
    }
}
