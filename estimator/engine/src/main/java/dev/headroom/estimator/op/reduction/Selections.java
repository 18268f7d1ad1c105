package dev.headroom.estimator.op.reduction;

import dev.headroom.estimator.op.core.Creation;
import dev.headroom.estimator.op.core.CubScratch;
import dev.headroom.estimator.op.core.Reductions;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Shapes;

/**
 * Values with their indices: extrema along a dimension, order statistics, sorting, running extrema. Their gradient is a
 * tensor of zeros into which the incoming one is scattered (FunctionsManual.cpp, value_selecting_reduction_backward).
 */
final class Selections {
    /** Longer slices are sorted by segmented radix sort instead of one block each (ATen/native/cuda/Sort.cpp). */
    private static final long SMALL_SLICE = 4096;

    /** Slices of this length are sorted one after the other (ATen/native/cuda/Sort.cu). */
    private static final long LARGE_SLICE = 1_000_000;

    private Selections() {}

    private static Tensor[] record(Call c, String node, long[] sizes) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Recorder r = rt.record(node, t);
        Tensor values = rt.empty(t.dtype(), sizes);
        Tensor indices = rt.empty(DType.INT64, sizes);
        Saved at = r.saveOutput(indices);
        long[] original = t.sizes();
        r.gradients(grads -> {
                    at.get();
                    return new Tensor[] {grads[0] == null ? null : Creation.zeros(rt, grads[0].dtype(), original)};
                })
                .output(values);
        r.nonDifferentiable(indices);
        return new Tensor[] {values, indices};
    }

    private static int dimension(Call c, Tensor t) {
        return Shapes.wrap(c.integer("dim", -1), t.dim());
    }

    static Tensor[] reduced(Call c, String node) {
        Tensor t = c.tensor("self");
        boolean[] mask = new boolean[t.dim()];
        if (mask.length > 0) {
            mask[dimension(c, t)] = true;
        }
        return record(c, node, Reductions.reduced(t.sizes(), mask, c.flag("keepdim", false)));
    }

    /** Other dimensions than the last are moved there in a copy (ATen/native/cuda/TensorModeKernel.cpp). */
    static Tensor[] mode(Call c) {
        Tensor t = c.tensor("self");
        Tensor[] out = reduced(c, "ModeBackward0");
        if (t.dim() > 0 && (dimension(c, t) != t.dim() - 1 || !t.isContiguous())) {
            c.runtime().free(c.runtime().emptyLike(t));
        }
        return out;
    }

    static Tensor[] whole(Call c, String node) {
        return record(c, node, c.tensor("self").sizes());
    }

    static Tensor[] topk(Call c) {
        Tensor t = c.tensor("self");
        long[] sizes = t.sizes().clone();
        if (sizes.length > 0) {
            long slice = sizes[dimension(c, t)];
            if (manyBlocks(t.numel() / Math.max(slice, 1), slice)) {
                throw new NoRule("topk of long slices by several blocks each");
            }
            sizes[dimension(c, t)] = c.integer("k");
        }
        return record(c, "TopkBackward0", sizes);
    }

    /** ATen/native/cuda/TensorTopK.cu, should_use_multiblock. */
    private static boolean manyBlocks(long slices, long size) {
        long[][] limits = {{20, 20000}, {40, 10000}, {80, 8000}, {200, 5000}, {800, 3000}, {4000, 800}};
        for (long[] limit : limits) {
            if (slices <= limit[0]) {
                return size >= limit[1];
            }
        }
        return size >= 400;
    }

    /** Short slices are sorted in place with an offset for each slice (ATen/native/cuda/Sort.cpp). */
    static Tensor[] sort(Call c) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        long slice = t.dim() == 0 ? 1 : t.size(dimension(c, t));
        long slices = slice == 0 ? 0 : t.numel() / slice;
        if (slice > SMALL_SLICE
                && (slices > 1 && slice < LARGE_SLICE || t.dtype().bytes() < 4)) {
            throw new NoRule("sort of several long slices at once");
        }
        Tensor[] out = whole(c, "SortBackward0");
        if (t.dim() > 0 && slice > 0) {
            Tensor order = rt.empty(DType.INT64, slice);
            if (slice > SMALL_SLICE) {
                sortEach(rt, slices, slice, t.dtype().bytes());
            }
            rt.free(order);
        }
        return out;
    }

    /** ATen/native/cuda/Sort.cu, segmented_sort_large_segments: one slice after the other, with the same order. */
    private static void sortEach(EagerRuntime rt, long slices, long slice, int width) {
        long bytes = CubScratch.sortPairs(rt.device(), slice, width, DType.INT64.bytes(), width * Byte.SIZE);
        for (long i = 0; i < slices; i++) {
            rt.free(rt.scratch(bytes));
        }
    }
}
