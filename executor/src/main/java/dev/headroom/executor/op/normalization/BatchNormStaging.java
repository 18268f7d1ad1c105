package dev.headroom.executor.op.normalization;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * What the blocks of batch normalisation's reduction over channels-last tensors share
 * (aten/src/ATen/native/cuda/Normalization.cuh, flexible_launch_configs).
 */
final class BatchNormStaging {
    private static final int MOST_THREADS = 512;
    private static final int TILE = 32;
    private static final int ELEMENTS_PER_THREAD = 16;
    private static final int MOST_BLOCKS = 128;
    private static final int LEAST_BLOCKS = 8;

    private BatchNormStaging() {}

    /** Whether channels are innermost (batch_norm_use_channels_last_kernels). */
    static boolean isChannelsInnermost(Tensor t) {
        boolean image = t.dims() == 4 || t.dims() == 5;
        return image && Layout.isChannelsLast(t.sizes(), t.strides()) || t.isContiguous() && t.stride(1) == 1;
    }

    /**
     * Takes the memory in the running scope; nothing where one block does the work of a channel.
     *
     * @param values that each block leaves for each channel
     */
    static void open(Eager e, Tensor x, DType type, int values) {
        boolean applies = isChannelsInnermost(x) && x.dims() > 2;
        long channels = x.size(1);
        long rows = x.elements() / channels;
        long width = Math.min(power(channels), TILE);
        long height = Math.min(power(Bytes.ceilDiv(rows, ELEMENTS_PER_THREAD)), MOST_THREADS / width);
        if (width * height != MOST_THREADS) {
            width = Math.min(power(channels), MOST_THREADS / height);
        }
        long blocks = Math.min(Bytes.ceilDiv(rows, height * ELEMENTS_PER_THREAD), MOST_BLOCKS);
        if (applies && blocks >= LEAST_BLOCKS) {
            e.empty(type, values * channels * blocks);
            e.empty(DType.INT32, Bytes.ceilDiv(channels, width));
        }
    }

    private static long power(long n) {
        return Math.max(1, Long.highestOneBit(n));
    }
}
