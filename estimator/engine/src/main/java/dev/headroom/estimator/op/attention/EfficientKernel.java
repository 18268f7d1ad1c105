package dev.headroom.estimator.op.attention;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.runtime.DeviceModel;
import dev.headroom.model.graph.DType;

/**
 * The memory-efficient kernel that runs backward: the first of the compiled ones that takes the operands
 * (mem_eff_attention/kernels/cutlassB.h, dispatch_cutlassB; attention_backward.cu, launchKernel).
 *
 * @param rows queries of a tile
 * @param columns keys of a tile
 * @param inRegisters whether the gradients of keys and values stay in registers or take a workspace
 * @param computesDelta whether the kernel itself sums gradient times result
 */
record EfficientKernel(int rows, int columns, boolean inRegisters, boolean computesDelta) {
    private static final int SMALL = 64;
    private static final int LARGE = 128;

    static EfficientKernel choose(DeviceModel d, DType type, long features, boolean dropout) {
        return type == DType.FLOAT32 ? single(d, features) : half(d, features, dropout);
    }

    /** Large tiles in float32 take 118 KiB of shared memory, those of 128 by 128 up to 158 KiB. */
    private static boolean roomy(DeviceModel d) {
        boolean ampere = d.major() == 8 && (d.minor() == 0 || d.minor() == 7);
        return ampere || d.major() == 9 || d.major() == 10;
    }

    private static EfficientKernel single(DeviceModel d, long features) {
        int rows = features > 64 && roomy(d) ? LARGE : SMALL;
        // Gradients are accumulated in place when they have the accumulator's type.
        return new EfficientKernel(rows, SMALL, true, false);
    }

    private static EfficientKernel half(DeviceModel d, long features, boolean dropout) {
        if (features <= 64) {
            return new EfficientKernel(SMALL, SMALL, true, true);
        }
        boolean ada = d.major() == 8 && (d.minor() == 6 || d.minor() == 9);
        if (features <= 96 && ada && !dropout) {
            return new EfficientKernel(LARGE, SMALL, true, true);
        }
        if (features > 128) {
            return new EfficientKernel(LARGE, SMALL, false, !volta(d));
        }
        if (d.major() < 8) {
            return new EfficientKernel(LARGE, SMALL, true, true);
        }
        return roomy(d)
                ? new EfficientKernel(LARGE, LARGE, true, true)
                : new EfficientKernel(SMALL, SMALL, false, true);
    }

    private static boolean volta(DeviceModel d) {
        return d.major() == 7 && d.minor() == 0;
    }

    /** Bytes of the workspace (kernel_backward.h, Params::workspace_size). */
    long workspace(long batch, long heads, long queries, long keys, long features, long valueFeatures) {
        long elements = 0;
        if (!inRegisters) {
            elements +=
                    splits(batch * heads, keys) * columns * (roundUp(features, rows) + roundUp(valueFeatures, rows));
        }
        // A tile's partial sum of the queries' gradient, with a lock, a counter and padding.
        long tile = 4 + (long) rows * columns;
        elements += Bytes.ceilDiv(queries, rows) * Bytes.ceilDiv(features, columns) * tile;
        return batch * heads * roundUp(elements, 4) * 4;
    }

    /** Parts that the keys are split into, each with a staging area (attention_backward.cu). */
    private long splits(long parallel, long keys) {
        return Math.max(Math.min(Bytes.ceilDiv(keys, columns), 200 / parallel), 1);
    }

    private static long roundUp(long a, long b) {
        return Bytes.ceilDiv(a, b) * b;
    }
}
