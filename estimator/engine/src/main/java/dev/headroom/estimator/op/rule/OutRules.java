package dev.headroom.estimator.op.rule;

/**
 * Elementwise operators that are handed their result, as in {@code torch.div(a, b, out=c)}: their kernel writes into
 * it, in its own type, and makes nothing. They are those with PyTorch's tag "pointwise".
 */
public final class OutRules {
    private static final String OPERATORS = """
            abs.out acos.out acosh.out add.out addcdiv.out addcmul.out asin.out asinh.out atan.out atan2.out atanh.out
            bitwise_and.Tensor_out bitwise_and.Scalar_out bitwise_not.out bitwise_or.Tensor_out bitwise_or.Scalar_out
            bitwise_xor.Tensor_out bitwise_xor.Scalar_out ceil.out clamp.out clamp.Tensor_out clamp_max.out
            clamp_max.Tensor_out clamp_min.out clamp_min.Tensor_out copysign.out cos.out cosh.out digamma.out div.out
            eq.Scalar_out eq.Tensor_out erf.out erfc.out erfinv.out exp.out exp2.out expm1.out floor.out fmax.out
            fmin.out fmod.Tensor_out fmod.Scalar_out frac.out ge.Scalar_out ge.Tensor_out gt.Scalar_out gt.Tensor_out
            hypot.out i0.out le.Scalar_out le.Tensor_out lerp.Scalar_out lerp.Tensor_out lgamma.out log.out log10.out
            log1p.out log2.out logaddexp.out logaddexp2.out logical_and.out logical_not.out logical_or.out
            logical_xor.out logit.out lt.Scalar_out lt.Tensor_out maximum.out minimum.out mul.out nan_to_num.out
            ne.Scalar_out ne.Tensor_out neg.out pow.Tensor_Tensor_out pow.Scalar_out pow.Tensor_Scalar_out
            reciprocal.out remainder.Tensor_out remainder.Scalar_out round.out rsqrt.out sgn.out sigmoid.out sign.out
            silu.out sin.out sinc.out sinh.out sqrt.out square.out sub.out tan.out tanh.out trunc.out
            """;

    private OutRules() {}

    public static void register(Registry r) {
        for (String operator : OPERATORS.strip().split("\\s+")) {
            r.single("aten." + operator, c -> {
                c.runtime().noteChange(c.tensor("out"));
                return c.tensor("out");
            });
        }
    }
}
