package dev.headroom.executor.op.basic;

import dev.headroom.executor.tensor.IterationOrder;
import dev.headroom.executor.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How a reduction walks over its operand: reduced dimensions first, then by stride, neighbours that lie behind one
 * another merged (aten/src/ATen/TensorIterator.cpp, reorder_dimensions and coalesce_dimensions with is_reduction).
 *
 * @param sizes by dimension, the fastest first
 * @param out strides of the result in elements, 0 where it is reduced
 * @param in strides of the operand in elements
 * @param address of the operand's first element, in elements
 */
record ReductionShape(long[] sizes, long[] out, long[] in, long address) {
    /**
     * @param result strides 0 in the reduced dimensions
     * @param operand of the full shape
     */
    static ReductionShape of(long[] result, Tensor operand) {
        int n = operand.dims();
        int[] order = order(operand.sizes(), result, operand.strides());
        long[] sizes = new long[n];
        long[] out = new long[n];
        long[] in = new long[n];
        for (int i = 0; i < n; i++) {
            sizes[i] = operand.sizes()[order[i]];
            out[i] = result[order[i]];
            in[i] = operand.strides()[order[i]];
        }
        long address = operand.address() / operand.dtype().bytes();
        return new ReductionShape(sizes, out, in, address).merged();
    }

    /** Reduced dimensions, along which the result does not move, come first. */
    private static int[] order(long[] sizes, long[] out, long[] in) {
        long[][] strides = {out, in};
        return IterationOrder.sorted(sizes.length, (a, b) -> {
            if ((out[a] == 0) != (out[b] == 0)) {
                return out[b] == 0 ? 1 : -1;
            }
            return IterationOrder.compare(sizes, strides, a, b);
        });
    }

    private ReductionShape merged() {
        if (sizes.length <= 1) {
            return this;
        }
        long[] s = sizes.clone();
        long[] o = out.clone();
        long[] a = in.clone();
        int last = 0;
        for (int d = 1; d < s.length; d++) {
            boolean behind = s[last] * o[last] == o[d] && s[last] * a[last] == a[d];
            if (s[last] == 1 || s[d] == 1 || behind) {
                if (s[last] == 1) {
                    o[last] = o[d];
                    a[last] = a[d];
                }
                s[last] *= s[d];
            } else {
                last++;
                s[last] = s[d];
                o[last] = o[d];
                a[last] = a[d];
            }
        }
        return new ReductionShape(first(s, last + 1), first(o, last + 1), first(a, last + 1), address);
    }

    private static long[] first(long[] values, int n) {
        return Arrays.copyOf(values, n);
    }

    int dims() {
        return sizes.length;
    }

    long elements() {
        long n = 1;
        for (long s : sizes) {
            n *= s;
        }
        return n;
    }

    int reducedDims() {
        int n = 0;
        for (long o : out) {
            n += o == 0 ? 1 : 0;
        }
        return n;
    }

    /** Elements of the result. */
    long outputs() {
        long n = 1;
        for (int d = 0; d < sizes.length; d++) {
            n *= out[d] == 0 ? 1 : sizes[d];
        }
        return n;
    }

    /**
     * The parts that kernels with 32-bit indices run over, one after another (TensorIterator::with_32bit_indexing).
     *
     * @param outBytes of an element of the result
     * @param inBytes of an element of the operand
     */
    List<ReductionShape> parts(int outBytes, int inBytes) {
        List<ReductionShape> parts = new ArrayList<>();
        split(outBytes, inBytes, parts);
        return parts;
    }

    private void split(int outBytes, int inBytes, List<ReductionShape> parts) {
        long reachOut = 1;
        long reachIn = 1;
        long widest = -1;
        int at = 0;
        for (int d = sizes.length - 1; d >= 0; d--) {
            reachOut += (sizes[d] - 1) * out[d] * outBytes;
            reachIn += (sizes[d] - 1) * in[d] * inBytes;
            long extent = (sizes[d] - 1) * Math.max(out[d] * outBytes, in[d] * inBytes);
            if (sizes[d] > 1 && extent > widest) {
                widest = extent;
                at = d;
            }
        }
        if (elements() <= Integer.MAX_VALUE && Math.max(reachOut, reachIn) <= Integer.MAX_VALUE) {
            parts.add(this);
            return;
        }
        long half = sizes[at] / 2;
        narrowed(at, 0, half).split(outBytes, inBytes, parts);
        narrowed(at, half, sizes[at] - half).split(outBytes, inBytes, parts);
    }

    private ReductionShape narrowed(int dim, long from, long size) {
        long[] s = sizes.clone();
        s[dim] = size;
        return new ReductionShape(s, out, in, address + from * in[dim]);
    }
}
