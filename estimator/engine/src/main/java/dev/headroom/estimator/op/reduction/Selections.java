package dev.headroom.estimator.op.reduction;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.op.core.Copies;
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

    private static final long BLOCK = 256;
    private static final long DIGITS = 256;

    /** Blocks of 256 threads with 40 registers each that a multiprocessor's 65536 registers hold. */
    private static final long BLOCKS_PER_SM = 6;

    private static final long MIN_ITEMS = 4;
    private static final long MAX_ITEMS = 64;

    /** Up to so many counts, CUB's inclusive sum by key asks for the same scratch. */
    private static final long SCANNED_AT_ONCE = 8192;

    private static final long SCAN_BY_KEY = 1279;

    /** From so many slices on, they are sorted by segments and not all at once (ATen/native/cuda/Sort.cu). */
    private static final long MANY_SLICES = 128;

    private Selections() {}

    private static Tensor[] record(Call c, String node, long[] sizes) {
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        return record(rt, rt.record(node, t), t, rt.empty(t.dtype(), sizes), rt.empty(DType.INT64, sizes));
    }

    private static Tensor[] record(EagerRuntime rt, Recorder r, Tensor t, Tensor values, Tensor indices) {
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

    /** Dense memory is read (ATen/native/cuda/Sorting.cpp, median_with_indices_impl). */
    static Tensor[] median(Call c, String node) {
        Tensor t = c.tensor("self");
        Tensor dense = Copies.contiguous(c.runtime(), t);
        Tensor[] out = reduced(c, node);
        c.runtime().freeUnless(dense, t);
        return out;
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
        EagerRuntime rt = c.runtime();
        Tensor t = c.tensor("self");
        Recorder r = rt.record(node, t);
        r.save(t); // the formula asks for more of the input than its sizes
        return record(rt, r, t, rt.empty(t.dtype(), t.sizes()), rt.empty(DType.INT64, t.sizes()));
    }

    static Tensor[] topk(Call c) {
        Tensor t = c.tensor("self");
        long[] sizes = t.sizes().clone();
        long k = c.integer("k");
        if (sizes.length > 0) {
            sizes[dimension(c, t)] = k;
        }
        Tensor[] out = record(c, "TopkBackward0", sizes);
        Tensor dense = Copies.contiguous(c.runtime(), t);
        if (sizes.length > 0) {
            search(c.runtime(), dense, dimension(c, t), k);
        }
        c.runtime().freeUnless(dense, t);
        return out;
    }

    /** What the search for the largest elements of long slices takes. */
    static void search(EagerRuntime rt, Tensor t, int dim, long k) {
        long slice = t.size(dim);
        long slices = t.numel() / Math.max(slice, 1);
        if (manyBlocks(slices, slice)) {
            if (k > SMALL_SLICE || !t.isContiguous() || dim != t.dim() - 1) {
                throw new NoRule("topk of long slices, sorted by another kernel");
            }
            searchByBlocks(rt, t.dtype(), slices, slice);
        }
    }

    /** ATen/native/cuda/TensorTopK.cu, mbtopk::launch: each slice is searched by several blocks, digit by digit. */
    private static void searchByBlocks(EagerRuntime rt, DType type, long slices, long slice) {
        long resident = (long) rt.device().sms() * BLOCKS_PER_SM * BLOCK;
        long perThread = Math.min(Math.max(Bytes.ceilDiv(slices * slice, resident), MIN_ITEMS), MAX_ITEMS);
        long blocks = slices * Bytes.ceilDiv(slice, perThread * BLOCK);
        if (blocks > SCANNED_AT_ONCE) {
            throw new NoRule("topk of so many long slices");
        }
        Tensor[] parts = {
            rt.scratch(slices * type.bytes()),
            rt.scratch(2 * slices * 4),
            rt.scratch(2 * slices * Math.max(4, type.bytes())),
            rt.scratch(blocks * DIGITS * 2),
            rt.scratch(slices * DIGITS * 4),
            rt.scratch(blocks * 4),
            rt.scratch(blocks * 4)
        };
        rt.free(rt.scratch(SCAN_BY_KEY));
        rt.free(rt.scratch(SCAN_BY_KEY));
        for (int i = parts.length - 1; i >= 0; i--) {
            rt.free(parts[i]);
        }
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
        boolean together = slice > SMALL_SLICE && slices > 1 && slice < LARGE_SLICE;
        boolean known =
                slices < MANY_SLICES && t.dtype().bytes() >= 4 && rt.device().major() >= 9;
        if (together && !known || slice > SMALL_SLICE && t.dtype().bytes() < 4) {
            throw new NoRule("sort of several long slices at once");
        }
        Tensor[] out = record(rt, rt.record("SortBackward0", t), t, rt.emptyLike(t), rt.emptyLike(t, DType.INT64));
        if (t.dim() > 0 && t.numel() > 0) {
            Tensor order = together ? null : rt.empty(DType.INT64, slice);
            if (together) {
                sortTogether(rt, slices, slice, t.dtype());
            } else if (slice > SMALL_SLICE) {
                sortEach(rt, slices, slice, t.dtype().bytes());
            }
            rt.free(order);
        }
        return out;
    }

    /** segmented_sort_pairs_by_full_sort: by value, each with its place and slice, then by slice. */
    private static void sortTogether(EagerRuntime rt, long slices, long slice, DType type) {
        long n = slices * slice;
        Tensor places = rt.empty(DType.INT64, n);
        Tensor sorted = rt.empty(DType.INT64, n);
        Tensor keys = rt.empty(type, n);
        rt.free(rt.scratch(CubScratch.sortPairs(rt.device(), n, type.bytes(), 8, type.bytes() * Byte.SIZE)));
        rt.free(keys);
        rt.free(rt.scratch(CubScratch.sortWideKeys(n, CubScratch.bits(slices - 1))));
        rt.free(sorted);
        rt.free(places);
    }

    /** ATen/native/cuda/Sort.cu, segmented_sort_large_segments: one slice after the other, with the same order. */
    private static void sortEach(EagerRuntime rt, long slices, long slice, int width) {
        long bytes = CubScratch.sortPairs(rt.device(), slice, width, DType.INT64.bytes(), width * Byte.SIZE);
        for (long i = 0; i < slices; i++) {
            rt.free(rt.scratch(bytes));
        }
    }
}
