package dev.headroom.estimator.op.vision;

import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * {@code get_vision_interpolation_indices_and_weights} (transformers, vision_utils.py): the four places of a square of
 * learned ones that are near each patch of an image, and the share of each. Python's variables live until the end,
 * arguments until their call is over.
 */
final class NearPlaces {
    private static final int NEAR = 2;

    private final EagerRuntime rt;
    private final long images;
    private final long patches;

    NearPlaces(Call c) {
        rt = c.runtime();
        images = c.tensor("grid").size(0);
        patches = c.integer("patches") * images;
    }

    Tensor[] run() {
        Tensor product = whole(images);
        Tensor counts = then(whole(images), product);
        Tensor heights = repeated();
        Tensor widths = repeated();
        Tensor sums = summed();
        Tensor before = then(whole(images), sums);
        Tensor starts = then(repeated(), before);
        Tensor all = rt.empty(DType.INT64);
        Tensor numbers = then(whole(patches), all);
        Tensor rest = then(whole(patches), numbers);
        Tensor area = whole(patches);
        Tensor within = then(whole(patches), rest, area);
        Tensor wide = whole(patches);
        Tensor inColumn = whole(patches);
        Tensor inRow = twice();
        Tensor blockColumn = twice();
        Tensor blockRow = twice();
        Tensor row = twice();
        Tensor column = twice();
        Tensor[] down = axis();
        Tensor[] across = axis();
        Tensor scaled = rt.empty(DType.INT64, patches, NEAR);
        Tensor indices = then(rt.empty(DType.INT64, patches, NEAR * NEAR), scaled);
        Tensor weights = rt.empty(DType.FLOAT32, patches, NEAR * NEAR);
        then(
                weights,
                counts,
                heights,
                widths,
                starts,
                within,
                wide,
                inColumn,
                inRow,
                blockColumn,
                blockRow,
                row,
                column);
        then(weights, down[0], down[1], across[0], across[1]);
        return new Tensor[] {indices, weights};
    }

    private Tensor whole(long count) {
        return rt.empty(DType.INT64, count);
    }

    /** What a call made, once its arguments are gone. */
    private Tensor then(Tensor made, Tensor... arguments) {
        for (Tensor t : arguments) {
            rt.free(t);
        }
        return made;
    }

    /** What a call made of what another one made for it. */
    private Tensor twice() {
        Tensor first = whole(patches);
        return then(whole(patches), first);
    }

    /** {@code counts.cumsum(0)}. */
    private Tensor summed() {
        Tensor sums = whole(images);
        rt.free(rt.scratch(CubScratch.scan(images, DType.INT64.bytes())));
        return sums;
    }

    /** {@code torch.repeat_interleave(values, counts)}: each image's number for each of its patches. */
    private Tensor repeated() {
        Tensor ends = summed();
        Tensor which = then(whole(patches), ends);
        return then(whole(patches), which);
    }

    /** {@code _interpolation_axis_taps_weights}: two places along an axis, and the share of each. */
    private Tensor[] axis() {
        Tensor index = rt.empty(DType.FLOAT32, patches);
        Tensor far = rt.empty(DType.FLOAT32, patches);
        Tensor last = whole(patches);
        Tensor size = then(whole(patches), last);
        Tensor source = then(rt.empty(DType.FLOAT32, patches), far, size);
        Tensor floor = rt.empty(DType.FLOAT32, patches);
        Tensor offsets = whole(NEAR);
        Tensor low = whole(patches);
        Tensor raw = then(rt.empty(DType.INT64, patches, NEAR), low);
        Tensor taps = rt.empty(DType.INT64, patches, NEAR);
        Tensor away = rt.empty(DType.FLOAT32, patches);
        Tensor signed = then(rt.empty(DType.FLOAT32, patches, NEAR), away);
        Tensor distance = then(rt.empty(DType.FLOAT32, patches, NEAR), signed);
        Tensor left = rt.empty(DType.FLOAT32, patches, NEAR);
        Tensor shares = then(rt.empty(DType.FLOAT32, patches, NEAR), left);
        then(shares, index, source, floor, offsets, raw, distance);
        return new Tensor[] {taps, shares};
    }
}
