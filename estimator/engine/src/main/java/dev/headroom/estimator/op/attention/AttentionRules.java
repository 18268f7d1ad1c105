package dev.headroom.estimator.op.attention;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;

/** The operator that computes attention: {@link ScaledDotProduct} plays it. */
public final class AttentionRules {
    private AttentionRules() {}

    public static void register(Registry r) {
        r.single("aten.scaled_dot_product_attention", c -> attention(c, "attn_mask"));
        // The kernels that it chooses from (ATen/native/transformers/attention.cpp).
        for (String kernel : new String[] {"efficient", "flash", "cudnn"}) {
            r.single("aten._scaled_dot_product_" + kernel + "_attention", c -> attention(c, "attn_bias"));
        }
    }

    private static Tensor attention(Call c, String mask) {
        AttentionCall call = new AttentionCall(
                c.tensor("query"),
                c.tensor("key"),
                c.tensor("value"),
                c.tensorOrNull(mask),
                c.number("dropout_p", 0),
                c.flag("is_causal", false),
                c.flag("enable_gqa", false));
        return ScaledDotProduct.attention(c.runtime(), call);
    }
}
