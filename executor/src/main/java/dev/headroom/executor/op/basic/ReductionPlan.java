package dev.headroom.executor.op.basic;

import dev.headroom.allocator.Bytes;
import dev.headroom.model.device.Gpu;

/**
 * How many threads and blocks a reduction takes, and so how much memory its blocks need to combine what they found
 * (aten/src/ATen/native/cuda/Reduce.cuh, setReduceConfig).
 *
 * @param bufferBytes that blocks leave their results in; 0 when each result is the work of one block
 * @param semaphoreBytes that they count themselves with
 */
record ReductionPlan(long bufferBytes, long semaphoreBytes) {
    private static final int MOST_THREADS = 512;
    private static final int WARP = 32;
    private static final int LEAST_VALUES = 16;
    private static final int MOST_VALUES = 256;

    /**
     * @param accumulatorBytes of the type that values are accumulated in
     * @param vector elements of the operand that a thread reads at once
     */
    static ReductionPlan of(ReductionShape shape, int accumulatorBytes, int vector, Gpu gpu) {
        long outputs = shape.outputs();
        long inputs = shape.elements() / outputs;
        int reduced = shape.reducedDims();
        boolean fastestReduced = true;
        long fastestStride = 1;
        if (shape.dims() > 0) {
            fastestReduced = reduced == shape.dims() || shape.in()[0] < shape.in()[reduced];
            fastestStride = shape.in()[fastestReduced ? 0 : reduced];
        }
        long dim0 = shape.dims() == 0 ? 1 : fastestReduced ? inputs : outputs;
        long dim1 = shape.dims() == 0 ? 1 : fastestReduced ? outputs : inputs;
        int outputVector = 1;
        if (fastestStride == 1) {
            if (fastestReduced && dim0 >= 128 && reduced == 1) {
                dim0 /= vector;
            } else if (!fastestReduced) {
                outputVector = outputVector(shape, reduced);
                dim0 /= outputVector;
            }
        }
        int most = MOST_THREADS / outputVector;
        int pow0 = dim0 < most ? lowerPower(dim0) : most;
        int pow1 = dim1 < most ? lowerPower(dim1) : most;
        int height = Math.min(pow1, most / Math.min(pow0, WARP));
        int width = Math.min(pow0, most / height);

        long stepInput = fastestReduced ? width : 1;
        long stepOutput = fastestReduced ? 1 : width;
        boolean acrossWarps = Bytes.ceilDiv(inputs, stepInput) >= Math.min(height * LEAST_VALUES, MOST_VALUES);
        if (acrossWarps) {
            stepInput *= height;
        } else {
            stepOutput *= height;
        }
        long target = (long) gpu.sms() * (Multiprocessors.threads(gpu) / (width * height));
        long grid = Bytes.ceilDiv(outputs / outputVector, stepOutput);
        long values = Bytes.ceilDiv(inputs, stepInput);
        if (!acrossWarps || values < MOST_VALUES || grid > target) {
            return new ReductionPlan(0, 0);
        }
        long blocks = Math.min(
                Math.max(Bytes.ceilDiv(target, grid), Bytes.ceilDiv(values, MOST_VALUES)),
                Bytes.ceilDiv(values, LEAST_VALUES));
        if (blocks <= 1) {
            return new ReductionPlan(0, 0);
        }
        long buffer = accumulatorBytes * outputs * blocks * (fastestReduced ? 1 : (long) width * outputVector);
        return new ReductionPlan(buffer, Integer.BYTES * grid);
    }

    /** get_output_vec_size: results that a thread computes at once, as alignment allows. */
    private static int outputVector(ReductionShape shape, int reduced) {
        int vector = fitting(4, shape.address());
        vector = fitting(vector, shape.sizes()[reduced]);
        for (int d = 0; d < shape.dims(); d++) {
            vector = d == reduced ? vector : fitting(vector, shape.in()[d]);
        }
        return vector;
    }

    private static int fitting(int vector, long n) {
        int v = vector;
        while (n % v != 0) {
            v /= 2;
        }
        return v;
    }

    private static int lowerPower(long n) {
        return (int) Math.max(1, Long.highestOneBit(n));
    }
}
