package dev.headroom.estimator.op.attention;

import dev.headroom.estimator.runtime.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code scaled_dot_product_attention}: operands are (batch, heads, rows, features).
 *
 * @param mask {@code null} for none
 * @param grouped {@code enable_gqa}: fewer heads in key and value than in the query
 */
record AttentionCall(
        Tensor query,
        Tensor key,
        Tensor value,
        @Nullable Tensor mask,
        double dropout,
        boolean causal,
        boolean grouped) {

    AttentionCall withMask(@Nullable Tensor other) {
        return new AttentionCall(query, key, value, other, dropout, causal, grouped);
    }

    boolean anyRequiresGrad() {
        return query.requiresGrad() || key.requiresGrad() || value.requiresGrad();
    }
}
