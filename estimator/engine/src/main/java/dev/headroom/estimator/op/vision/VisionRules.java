package dev.headroom.estimator.op.vision;

import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.op.rule.Registry;

/** Calls of models that see images of any size. Lists of tensors are one value, see {@code Tensor.listing}. */
public final class VisionRules {
    private VisionRules() {}

    public static void register(Registry r) {
        r.single("transformers.image_places", ImageGrids::places);
        r.single("transformers.image_bounds", c -> ImageGrids.bounds(c, r));
        r.single("transformers.window_bounds", ImageGrids::windows);
        r.add("transformers.near_places", c -> new NearPlaces(c).run());
        r.add("transformers.rope_index", c -> new RopeIndex(c).run());
        r.single("transformers.split_rows", ListedParts::rows);
        r.single("transformers.attention_in_parts", c -> ListedParts.attended(c, r));
        r.single(
                "transformers.joined_list",
                c -> Joining.cat(c.runtime(), c.integer("dim"), c.tensor("list").items()));
    }
}
