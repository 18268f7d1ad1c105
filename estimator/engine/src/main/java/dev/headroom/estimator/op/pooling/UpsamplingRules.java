package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.rule.Registry;

/** Interpolation and sampling; {@link Upsampling} plays it. */
public final class UpsamplingRules {
    private UpsamplingRules() {}

    public static void register(Registry r) {
        for (int dims = 1; dims <= 3; dims++) {
            int n = dims;
            r.single(
                    "aten.upsample_nearest" + n + "d", c -> Upsampling.run(c, n, "UpsampleNearest" + n + "DBackward0"));
            r.single(
                    "aten._upsample_nearest_exact" + n + "d",
                    c -> Upsampling.run(c, n, "UpsampleNearestExact" + n + "DBackward0"));
        }
        r.single("aten.upsample_linear1d", c -> Upsampling.run(c, 1, "UpsampleLinear1DBackward0"));
        r.single("aten.upsample_bilinear2d", c -> Upsampling.run(c, 2, "UpsampleBilinear2DBackward0"));
        r.single("aten.upsample_bicubic2d", c -> Upsampling.run(c, 2, "UpsampleBicubic2DBackward0"));
        r.single("aten.upsample_trilinear3d", c -> Upsampling.run(c, 3, "UpsampleTrilinear3DBackward0"));
        r.single("aten._upsample_bilinear2d_aa", c -> Upsampling.run(c, 2, "UpsampleBilinear2DAaBackward0"));
        r.single("aten._upsample_bicubic2d_aa", c -> Upsampling.run(c, 2, "UpsampleBicubic2DAaBackward0"));
        r.single("aten.grid_sampler", Upsampling::gridSampler);
        r.single("aten.grid_sampler_2d", Upsampling::gridSampler);
        r.single("aten.grid_sampler_3d", Upsampling::gridSampler);
    }
}
