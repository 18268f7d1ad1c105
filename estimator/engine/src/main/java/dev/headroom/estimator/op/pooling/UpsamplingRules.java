package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.pooling.Upsampling.Kernel;
import dev.headroom.estimator.op.rule.Registry;

/** Interpolation and sampling; {@link Upsampling} plays it. */
public final class UpsamplingRules {
    private UpsamplingRules() {}

    public static void register(Registry r) {
        for (int dims = 1; dims <= 3; dims++) {
            Kernel kernel = Kernel.nearest(dims);
            add(r, "upsample_nearest" + dims + "d", "UpsampleNearest" + dims + "D", kernel);
            add(r, "_upsample_nearest_exact" + dims + "d", "UpsampleNearestExact" + dims + "D", kernel);
        }
        add(r, "upsample_linear1d", "UpsampleLinear1D", Kernel.interpolating(1));
        add(r, "upsample_bilinear2d", "UpsampleBilinear2D", Kernel.BILINEAR);
        add(r, "upsample_bicubic2d", "UpsampleBicubic2D", Kernel.interpolating(2));
        add(r, "upsample_trilinear3d", "UpsampleTrilinear3D", Kernel.interpolating(3));
        add(r, "_upsample_bilinear2d_aa", "UpsampleBilinear2DAa", Kernel.SMOOTHING);
        add(r, "_upsample_bicubic2d_aa", "UpsampleBicubic2DAa", Kernel.SMOOTHING);
        r.single("aten.grid_sampler", Upsampling::gridSampler);
        r.single("aten.grid_sampler_2d", Upsampling::gridSampler);
        r.single("aten.grid_sampler_3d", Upsampling::gridSampler);
    }

    private static void add(Registry r, String operator, String node, Kernel kernel) {
        r.single("aten." + operator, c -> Upsampling.run(c, kernel, node + "Backward0"));
    }
}
