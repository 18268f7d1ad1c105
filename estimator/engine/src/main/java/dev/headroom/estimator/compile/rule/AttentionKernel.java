package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.scenario.Scenario.Attention;
import org.jspecify.annotations.Nullable;

/** Kernels of attention; which one runs is chosen while tracing, by the same rules as in eager mode. */
enum AttentionKernel {
    CUDNN("cudnn"),
    FLASH("flash"),
    EFFICIENT("efficient"),
    MATH("math");

    private final String operator;

    AttentionKernel(String name) {
        this.operator = "aten._scaled_dot_product_" + name + "_attention";
    }

    String forward() {
        return operator;
    }

    String backward() {
        return operator + "_backward";
    }

    /**
     * ATen/native/transformers/cuda/sdp_utils.cpp.
     *
     * @param major compute capability of the card
     * @param allowed what the user allows
     */
    record Choice(int major, Attention allowed) {
        AttentionKernel of(
                Traced q, Traced k, Traced v, @Nullable Traced mask, boolean causal, double dropout, boolean grouped) {
            boolean fits = fused(q.value(), k.value(), v.value(), mask == null ? null : mask.value(), grouped);
            boolean half = q.value().dtype().isReducedFloat() && major >= 8;
            long features = q.value().size(3);
            boolean sixteenths = dropout * 16 == Math.floor(dropout * 16);
            boolean few = features <= (major == 9 || major == 10 ? 256 : 128) && features % 8 == 0;
            if (fits && half && (major == 9 || major == 10) && sixteenths && few && allows(CUDNN)) {
                return CUDNN;
            }
            boolean square = !causal || q.value().size(2) == k.value().size(2);
            if (fits && half && mask == null && features <= 256 && square && allows(FLASH)) {
                return FLASH;
            }
            long alignment = q.value().dtype().isReducedFloat() ? 8 : 4;
            boolean aligned = features % alignment == 0 && v.value().size(3) % alignment == 0;
            return fits && aligned && !grouped && allows(EFFICIENT) ? EFFICIENT : MATH;
        }

        private boolean allows(AttentionKernel kernel) {
            return allowed == Attention.AUTO
                    || allowed == Attention.EAGER
                    || allowed.name().equals(kernel.name());
        }

        private static boolean fused(Value q, Value k, Value v, @Nullable Value mask, boolean grouped) {
            boolean rows = last(q) == 1 && last(k) == 1 && last(v) == 1;
            boolean types = q.dtype() == k.dtype() && q.dtype() == v.dtype();
            boolean heads = q.size(1) == k.size(1) || grouped;
            return rows && types && heads && q.size(0) == k.size(0) && (mask == null || last(mask) == 1);
        }

        private static long last(Value v) {
            return v.strides()[v.dim() - 1];
        }
    }
}
