package dev.headroom.executor.op.reduction;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.op.basic.CubScratch;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;

/** What ordering takes beside its results (aten/src/ATen/native/cuda/Sort.cpp, Sort.cu, TensorTopK.cu). */
final class LongLines {
    /** Lines that one block of threads sorts in its own memory. */
    private static final long SHORT = 4096;

    /** Lines from this length on, and a single one, are sorted one after another. */
    private static final long APART = 1_000_000;

    /** From so many lines on, they are sorted by segments. */
    private static final long SEGMENTS = 128;

    private static final long BLOCK = 256;
    private static final long DIGITS = 256;

    /** Blocks of 256 threads with 40 registers each that a multiprocessor's 65536 registers hold. */
    private static final long BLOCKS_OF_PROCESSOR = 6;

    private static final long LEAST_ITEMS = 4;
    private static final long MOST_ITEMS = 64;

    /** Up to so many counts, CUB's inclusive sum by key asks for the same scratch. */
    private static final long SCANNED_AT_ONCE = 8192;

    private static final long SCAN_BY_KEY = 1279;

    /** By the number of lines: from which length on several blocks search a line (should_use_multiblock). */
    private static final long[][] SEARCHED_BY_BLOCKS = {
        {20, 20000}, {40, 10000}, {80, 8000}, {200, 5000}, {800, 3000}, {4000, 800}, {Long.MAX_VALUE, 400}
    };

    private LongLines() {}

    private static long length(Tensor x, int dim) {
        return x.dims() == 0 ? 1 : x.size(dim);
    }

    /** What {@code sort} takes while it runs. */
    static void sort(Eager e, Tensor x, int dim) {
        if (x.elements() == 0) {
            return;
        }
        long length = length(x, dim);
        long lines = x.elements() / length;
        if (length <= SHORT) {
            e.free(e.empty(DType.INT64, length)); // the places of one line, copied to all
        } else if (x.dtype().bytes() < Float.BYTES) {
            throw unknown("sort of lines of " + length + " elements of 16 bits");
        } else if (lines == 1 || length >= APART) {
            apart(e, lines, length, x.dtype());
        } else {
            together(e, lines, length, x.dtype());
        }
    }

    private static UserInputException unknown(String what) {
        return new UserInputException(what + " is not supported by the executor: its scratch is not known");
    }

    /** One after another, with the same order (segmented_sort_large_segments). */
    private static void apart(Eager e, long lines, long length, DType type) {
        try (Scope s = e.open()) {
            e.empty(DType.INT64, length);
            int width = type.bytes();
            for (long i = 0; i < lines; i++) {
                e.free(e.workspace(CubScratch.sortPairs(
                        length, width, width * Byte.SIZE, e.settings().gpu())));
            }
        }
    }

    /** By value, each with its place and line, then by line (segmented_sort_pairs_by_full_sort). */
    private static void together(Eager e, long lines, long length, DType type) {
        Gpu gpu = e.settings().gpu();
        if (lines >= SEGMENTS || gpu.major() < 9) {
            throw unknown("sort of " + lines + " lines of " + length + " elements");
        }
        try (Scope s = e.open()) {
            long n = lines * length;
            e.empty(DType.INT64, n); // places and lines
            e.empty(DType.INT64, n); // the same in order
            Tensor keys = e.empty(type, n);
            e.free(e.workspace(CubScratch.sortPairs(n, type.bytes(), type.bytes() * Byte.SIZE, gpu)));
            e.free(keys);
            int bits = Math.max(1, Long.SIZE - Long.numberOfLeadingZeros(lines - 1));
            e.workspace(CubScratch.sortKeys(n, bits));
        }
    }

    /** What {@code topk} takes while it runs: several blocks search a long line, digit by digit. */
    static void search(Eager e, Tensor x, int dim, long k) {
        long length = length(x, dim);
        long lines = x.elements() / Math.max(1, length);
        if (!byBlocks(lines, length)) {
            return;
        }
        long resident = e.settings().gpu().sms() * BLOCKS_OF_PROCESSOR * BLOCK;
        long items = Math.min(Math.max(Bytes.ceilDiv(lines * length, resident), LEAST_ITEMS), MOST_ITEMS);
        long blocks = lines * Bytes.ceilDiv(length, items * BLOCK);
        if (k > SHORT || blocks > SCANNED_AT_ONCE) {
            throw unknown("topk of " + k + " among " + lines + " lines of " + length + " elements");
        }
        int width = x.dtype().bytes();
        try (Scope s = e.open()) {
            e.workspace(lines * width);
            e.workspace(2 * lines * Integer.BYTES);
            e.workspace(2 * lines * Math.max(Integer.BYTES, width));
            e.workspace(blocks * DIGITS * Short.BYTES);
            e.workspace(lines * DIGITS * Integer.BYTES);
            e.workspace(blocks * Integer.BYTES);
            e.workspace(blocks * Integer.BYTES);
            e.free(e.workspace(SCAN_BY_KEY));
            e.free(e.workspace(SCAN_BY_KEY));
        }
    }

    private static boolean byBlocks(long lines, long length) {
        for (long[] limit : SEARCHED_BY_BLOCKS) {
            if (lines <= limit[0]) {
                return length >= limit[1];
            }
        }
        return false;
    }
}
