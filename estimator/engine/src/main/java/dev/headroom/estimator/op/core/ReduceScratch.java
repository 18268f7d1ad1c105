package dev.headroom.estimator.op.core;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Shapes;
import org.jspecify.annotations.Nullable;

/**
 * Scratch of CUDA reductions. When few outputs have many inputs each, several thread blocks work on one output and meet
 * in global memory: a staging buffer and semaphores, taken from the caching allocator (ATen/native/cuda/Reduce.cuh,
 * gpu_reduce_kernel and setReduceConfig).
 */
public final class ReduceScratch {
    private static final int WARP = 32;
    private static final int MAX_THREADS = 512;
    private static final int VECTOR = 4;
    private static final int MIN_VALUES = 16;
    private static final int MAX_VALUES = 256;

    /** Dimensions in iteration order, innermost first, reduced ones at the front; strides in bytes. */
    private record Iteration(long[] shape, long[] inStrides, long[] outStrides, int reducedDims) {
        long outputs() {
            long n = 1;
            for (int i = reducedDims; i < shape.length; i++) {
                n *= shape[i];
            }
            return n;
        }

        long inputs() {
            long n = 1;
            for (int i = 0; i < reducedDims; i++) {
                n *= shape[i];
            }
            return n;
        }

        boolean fits32Bits() {
            long in = 1;
            long out = 1;
            for (int i = 0; i < shape.length; i++) {
                in += (shape[i] - 1) * inStrides[i];
                out += (shape[i] - 1) * outStrides[i];
            }
            return Math.max(in, out) <= Integer.MAX_VALUE;
        }
    }

    private ReduceScratch() {}

    /**
     * Takes and gives back the scratch of one reduction.
     *
     * @param mask the reduced dimensions
     * @param outBytes bytes of an output element
     * @param accumulator bytes of the kernel's accumulator type
     */
    public static void use(EagerRuntime rt, Tensor in, boolean[] mask, int outBytes, int accumulator) {
        if (in.numel() == 0) {
            return;
        }
        run(rt, iteration(in, mask, outBytes), in.dtype().bytes(), accumulator);
    }

    private static void run(EagerRuntime rt, Iteration it, int element, int accumulator) {
        if (!it.fits32Bits()) {
            Iteration[] halves = split(it);
            run(rt, halves[0], element, accumulator);
            run(rt, halves[1], element, accumulator);
            return;
        }
        long[] sizes = config(rt, it, element, accumulator);
        if (sizes != null) {
            Tensor buffer = rt.scratch(sizes[0]);
            Tensor semaphores = rt.scratch(sizes[1]);
            rt.free(semaphores);
            rt.free(buffer);
        }
    }

    /** TensorIterator::make_reduction, reorder_dimensions and coalesce_dimensions. */
    private static Iteration iteration(Tensor in, boolean[] mask, int outBytes) {
        int n = in.dim();
        long[] sizes = in.sizes();
        long[] out = new long[n];
        long next = outBytes;
        for (int i = n - 1; i >= 0; i--) {
            if (!mask[i]) {
                out[i] = next;
                next *= Math.max(sizes[i], 1);
            }
        }
        long[] src = new long[n];
        for (int i = 0; i < n; i++) {
            src[i] = in.stride(i) * in.dtype().bytes();
        }
        int[] perm = Shapes.order(sizes, new long[][] {out, src}, true);
        long[] shape = new long[n];
        long[] so = new long[n];
        long[] si = new long[n];
        int dims = 0;
        for (int i = 0; i < n; i++) {
            int d = perm[i];
            boolean merged = false;
            if (dims > 0) {
                int p = dims - 1;
                if (shape[p] == 1 || sizes[d] == 1 || shape[p] * so[p] == out[d] && shape[p] * si[p] == src[d]) {
                    if (shape[p] == 1) {
                        so[p] = out[d];
                        si[p] = src[d];
                    }
                    shape[p] *= sizes[d];
                    merged = true;
                }
            }
            if (!merged) {
                shape[dims] = sizes[d];
                so[dims] = out[d];
                si[dims++] = src[d];
            }
        }
        int reduced = 0;
        for (int i = 0; i < dims; i++) {
            reduced += so[i] == 0 ? 1 : 0;
        }
        return new Iteration(
                java.util.Arrays.copyOf(shape, dims),
                java.util.Arrays.copyOf(si, dims),
                java.util.Arrays.copyOf(so, dims),
                reduced);
    }

    /** TensorIteratorBase::split along the dimension with the largest extent. */
    private static Iteration[] split(Iteration it) {
        int dim = 0;
        long extent = -1;
        for (int i = it.shape.length - 1; i >= 0; i--) {
            long e = (it.shape[i] - 1) * Math.max(it.inStrides[i], it.outStrides[i]);
            if (it.shape[i] > 0 && e > extent) {
                extent = e;
                dim = i;
            }
        }
        long half = it.shape[dim] / 2;
        long[] a = it.shape.clone();
        long[] b = it.shape.clone();
        a[dim] = half;
        b[dim] = it.shape[dim] - half;
        return new Iteration[] {
            new Iteration(a, it.inStrides, it.outStrides, it.reducedDims),
            new Iteration(b, it.inStrides, it.outStrides, it.reducedDims)
        };
    }

    /** @return bytes of the staging buffer and of the semaphores, or {@code null} when the kernel needs neither */
    private static long @Nullable [] config(EagerRuntime rt, Iteration it, int element, int accumulator) {
        long outputs = it.outputs();
        long inputs = it.inputs();
        int dims = it.shape.length;
        boolean fastest = true;
        long dim0 = 1;
        long dim1 = 1;
        int outputVector = 1;
        if (dims > 0) {
            fastest = it.reducedDims == dims || it.inStrides[0] < it.inStrides[it.reducedDims];
            dim0 = fastest ? inputs : outputs;
            dim1 = fastest ? outputs : inputs;
            long moving = it.inStrides[fastest ? 0 : it.reducedDims];
            if (moving == element && rt.options().torch().vectorizedReductions()) {
                if (fastest && dim0 >= 128 && it.reducedDims == 1) {
                    dim0 /= VECTOR;
                } else if (!fastest) {
                    outputVector = outputVector(it, element);
                    dim0 /= outputVector;
                }
            }
        }
        int maxThreads = MAX_THREADS / outputVector;
        int p0 = dim0 < maxThreads ? lastPow2(dim0) : maxThreads;
        int p1 = dim1 < maxThreads ? lastPow2(dim1) : maxThreads;
        int width = Math.min(p0, WARP);
        int height = Math.min(p1, maxThreads / width);
        width = Math.min(p0, maxThreads / height);
        long stepInput = fastest ? width : 1;
        long stepOutput = fastest ? 1 : width;
        boolean acrossWarps = Bytes.ceilDiv(inputs, stepInput) >= Math.min(height * 16, MAX_VALUES);
        if (acrossWarps) {
            stepInput *= height;
        } else {
            stepOutput *= height;
        }
        long target = (long) rt.device().sms() * (rt.device().threadsPerSm() / (width * height));
        long grid = Bytes.ceilDiv(outputs / outputVector, stepOutput);
        long perThread = Bytes.ceilDiv(inputs, stepInput);
        if (!acrossWarps || perThread < MAX_VALUES || grid > target) {
            return null;
        }
        long ctas = Math.min(
                Math.max(Bytes.ceilDiv(target, grid), Bytes.ceilDiv(perThread, MAX_VALUES)),
                Bytes.ceilDiv(perThread, MIN_VALUES));
        if (ctas <= 1) {
            return null;
        }
        long staging = accumulator * outputs * ctas * (fastest ? 1 : (long) width * outputVector);
        return new long[] {staging, 4 * grid};
    }

    /** get_output_vec_size; fresh memory is aligned to more than a vector. */
    private static int outputVector(Iteration it, int element) {
        long v = VECTOR;
        v = shrink(v, it.shape[it.reducedDims]);
        for (int i = 0; i < it.shape.length; i++) {
            if (i != it.reducedDims) {
                v = shrink(v, it.inStrides[i] / element);
            }
        }
        return (int) v;
    }

    private static long shrink(long vector, long n) {
        long v = vector;
        while (n % v != 0) {
            v /= 2;
        }
        return v;
    }

    private static int lastPow2(long n) {
        return (int) Math.max(1, Long.highestOneBit(n));
    }
}
