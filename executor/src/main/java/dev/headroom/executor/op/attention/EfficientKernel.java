package dev.headroom.executor.op.attention;

import dev.headroom.allocator.Bytes;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.device.Gpu;

/**
 * The backward kernel of memory-efficient attention that is launched: the first of its list that fits the call and the
 * GPU's shared memory (mem_eff_attention/kernels/generate_kernels.py, kernel_backward.h).
 *
 * @param blockQueries queries that a block of threads computes
 * @param blockKeys keys that it computes
 * @param keepsInRegisters whether gradients of keys and values are accumulated in registers, else in the workspace
 */
record EfficientKernel(int blockQueries, int blockKeys, boolean keepsInRegisters) {
    /** Heads of all samples with which short keys are not split. */
    private static final long ENOUGH = 256;

    /** Sums of keys' gradients that are kept at a time, over all heads. */
    private static final long MOST_SUMS = 200;

    static EfficientKernel of(Gpu gpu, Tensor q, Tensor k, Tensor v, boolean drops) {
        long size = Math.max(q.size(3), v.size(3));
        boolean half = q.dtype().isReducedFloat();
        // 64 KiB on 7.5, 99 KiB on 8.6, 8.9 and 12.0, at least 163 KiB on 8.0, 9.0 and 10.0.
        boolean muchSharedMemory = gpu.major() == 8 && gpu.minor() == 0 || gpu.major() == 9 || gpu.major() == 10;
        if (size <= 64) {
            return new EfficientKernel(64, 64, half);
        }
        if (half) {
            if (size <= 96 && !drops && gpu.major() >= 8 && !muchSharedMemory) {
                return new EfficientKernel(128, 64, true);
            }
            if (size <= 128) {
                if (muchSharedMemory) {
                    return new EfficientKernel(128, 128, true);
                }
                return gpu.major() < 8 ? new EfficientKernel(128, 64, true) : new EfficientKernel(64, 64, false);
            }
            return new EfficientKernel(128, 64, false);
        }
        return new EfficientKernel(muchSharedMemory ? 128 : 64, 64, false);
    }

    /** Params::workspace_size. */
    long workspaceBytes(Tensor q, Tensor k, Tensor v) {
        long heads = q.size(0) * q.size(1);
        long keys = k.size(2);
        // Each block's gradient of queries, behind a lock and a counter that fill 16 bytes.
        long elements = Bytes.ceilDiv(q.size(2), blockQueries)
                * Bytes.ceilDiv(q.size(3), blockKeys)
                * (4 + blockQueries * blockKeys);
        if (!keepsInRegisters && q.dtype().isReducedFloat()) {
            long padded = splits(heads, keys) * blockKeys;
            elements += padded * Bytes.ceilDiv(q.size(3), blockQueries) * blockQueries;
            elements += padded * Bytes.ceilDiv(v.size(3), blockQueries) * blockQueries;
        }
        return heads * Bytes.ceilDiv(elements, 4) * 4 * Float.BYTES;
    }

    /**
     * Parts of the keys that are computed at once, where each has its own sums: fewer when heads alone fill the GPU, so
     * that the workspace does not grow with them (attention_backward.cu, num_splits_key).
     */
    private long splits(long heads, long keys) {
        long most = heads >= ENOUGH && keys <= 2L * blockKeys ? 1 : Bytes.ceilDiv(keys, blockKeys);
        return Math.max(1, Math.min(most, MOST_SUMS / heads));
    }
}
