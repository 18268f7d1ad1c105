package dev.headroom.estimator.op.pooling;

import dev.headroom.estimator.op.rule.Registry;

/** Patches of images and pixels as channels; {@link ImagePatches} plays them. */
public final class ImagePatchRules {
    private ImagePatchRules() {}

    public static void register(Registry r) {
        r.single("aten.im2col", ImagePatches::im2col);
        r.single("aten.col2im", ImagePatches::col2im);
        r.single("aten.pixel_shuffle", c -> ImagePatches.shuffled(c, c.integer("upscale_factor"), true));
        r.single("aten.pixel_unshuffle", c -> ImagePatches.shuffled(c, c.integer("downscale_factor"), false));
    }
}
