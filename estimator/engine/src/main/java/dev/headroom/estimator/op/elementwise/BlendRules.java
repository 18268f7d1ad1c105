package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.rule.Registry;

/** Clamping, selection by a mask, powers, interpolation and fused multiply-add; {@link Blending} plays them. */
public final class BlendRules {
    private BlendRules() {}

    public static void register(Registry r) {
        for (String name : new String[] {"clamp", "clip"}) {
            r.single("aten." + name + ".default", c -> Blending.clamp(c, r, "ClampBackward1", false));
            r.single("aten." + name + "_.default", c -> Blending.clamp(c, r, "ClampBackward1", true));
        }
        for (String name : new String[] {"clamp_min", "clamp_max"}) {
            r.single("aten." + name + ".default", c -> Blending.clamp(c, r, "ClampBackward", false));
            r.single("aten." + name + "_.default", c -> Blending.clamp(c, r, "ClampBackward", true));
        }
        for (boolean inPlace : new boolean[] {false, true}) {
            String name = inPlace ? "aten.lerp_." : "aten.lerp.";
            r.single(name + "Scalar", c -> Blending.lerp(c, inPlace));
            r.single(name + "Tensor", c -> Blending.lerpTensor(c, inPlace));
        }
        r.single("aten.addcmul", c -> Blending.addcmul(c, false));
        r.single("aten.addcmul_", c -> Blending.addcmul(c, true));
        r.single("aten.addcdiv", c -> Blending.addcdiv(c, false));
        r.single("aten.addcdiv_", c -> Blending.addcdiv(c, true));
        r.single(
                "aten.where.self",
                c -> Blending.whereTensors(c.runtime(), c.tensor("condition"), c.tensor("self"), c.tensor("other")));
        r.single("aten.where.ScalarOther", Blending::whereScalar);
        r.single("aten.where.ScalarSelf", Blending::whereScalar);
        r.single("aten.where.Scalar", Blending::whereScalar);
        r.single("aten.pow.Tensor_Tensor", c -> Blending.powTensor(c, false));
        r.single("aten.pow_.Tensor", c -> Blending.powTensor(c, true));
        r.single("aten.pow.Scalar", Blending::powScalar);
    }
}
