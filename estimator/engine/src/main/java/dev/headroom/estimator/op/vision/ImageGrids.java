package dev.headroom.estimator.op.vision;

import dev.headroom.estimator.op.core.Body;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.core.Joining;
import dev.headroom.estimator.op.core.Views;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** What is made of {@code grid_thw}, the numbers of patches of each image (transformers, vision_utils.py). */
final class ImageGrids {
    private ImageGrids() {}

    /** {@code get_vision_position_ids}: row and column of each patch, by blocks of patches that are merged. */
    static Tensor places(Call c) {
        EagerRuntime rt = c.runtime();
        int images = Math.toIntExact(c.tensor("grid").size(0));
        long rows = c.integer("rows");
        long columns = c.integer("columns");
        long merge = c.integer("merge");
        Tensor size = rt.empty(DType.INT64, 1);
        if (images > 1) {
            rt.free(rt.empty(DType.INT64, images)); // tolist() of an expanded tensor
        }
        Tensor[] all = new Tensor[images];
        Tensor down = null;
        Tensor across = null;
        for (int i = 0; i < images; i++) {
            Tensor high = rt.empty(DType.INT64, rows);
            Tensor wide = rt.empty(DType.INT64, columns);
            rt.free(down);
            rt.free(across);
            down = blocks(rt, high, new long[] {rows / merge, columns / merge, merge, merge}, merge, 0);
            across = blocks(rt, wide, new long[] {rows / merge, columns / merge, merge, merge}, 0, merge);
            Tensor pairs = Joining.stack(rt, -1, down, across);
            all[i] = rt.empty(DType.INT64, pairs.sizes()); // repeat(t, 1)
            rt.free(pairs);
        }
        Tensor out = Joining.cat(rt, 0, all);
        rt.free(size);
        for (int i = images - 1; i >= 0; i--) {
            rt.free(all[i]);
        }
        rt.free(down);
        rt.free(across);
        return out;
    }

    /** {@code ids.reshape(block_shape).transpose(1, 2).flatten()} of numbers that are expanded to a grid. */
    private static Tensor blocks(EagerRuntime rt, Tensor numbers, long[] sizes, long ofRows, long ofColumns) {
        long one = ofRows > 0 ? 1 : 0;
        long[] strides = {ofRows, ofColumns, one, 1 - one};
        Tensor grid = rt.view(numbers, sizes, strides, 0);
        Tensor flat = Views.flatten(rt, grid, 0, -1);
        rt.freeUnless(grid, flat);
        rt.free(numbers);
        return flat;
    }

    /** {@code get_vision_cu_seqlens}: where each image's patches begin. */
    static Tensor bounds(Call c, Registry rules) {
        EagerRuntime rt = c.runtime();
        Tensor grid = c.tensor("grid");
        long images = grid.size(0);
        Body b = new Body(rt, rules);
        Tensor lengths = b.made(rt.empty(DType.INT64, images));
        Tensor frames = b.made(Views.select(rt, grid, 1, 0));
        Tensor repeats = Copies.contiguous(rt, frames);
        Tensor sums = rt.empty(DType.INT64, images);
        Tensor dense = Copies.contiguous(rt, frames);
        rt.free(rt.scratch(CubScratch.scan(images, DType.INT64.bytes())));
        rt.freeUnless(dense, frames);
        Tensor index = rt.empty(DType.INT64, images);
        rt.free(sums);
        rt.freeUnless(repeats, frames);
        Tensor perFrame = rt.empty(DType.INT64, images);
        rt.free(index);
        b.let(perFrame);
        rt.free(lengths);
        Tensor ends = b.call("cumsum", perFrame, 0, DType.INT32);
        return b.give(b.call("constant_pad_nd", ends, new long[] {1, 0}, 0));
    }

    /** {@code get_vision_window_index}: where each window's patches begin, from a list with empty ones among them. */
    static Tensor windows(Call c) {
        EagerRuntime rt = c.runtime();
        long images = c.tensor("grid").size(0);
        Tensor all = rt.empty(DType.INT32, images * c.integer("windows") + 1);
        Tensor out = distinct(rt, all, images * c.integer("filled") + 1);
        rt.free(all);
        return out;
    }

    /** {@code unique_consecutive} (ATen/native/cuda/UniqueCub.cu): as many elements as before, then fewer. */
    private static Tensor distinct(EagerRuntime rt, Tensor all, long left) {
        Tensor room = rt.empty(all.dtype(), all.numel());
        Tensor count = rt.empty(DType.INT64, 1);
        rt.free(rt.scratch(
                CubScratch.unique(rt.device(), all.numel(), all.dtype().bytes())));
        rt.free(count);
        Tensor out = rt.reinterpret(room, new long[] {left}, new long[] {1}, 0);
        rt.free(room);
        return out;
    }
}
