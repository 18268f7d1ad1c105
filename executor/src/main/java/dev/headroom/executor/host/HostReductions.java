package dev.headroom.executor.host;

import dev.headroom.executor.kernel.ReductionKernels;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;

final class HostReductions implements ReductionKernels {
    private final HostArrays arrays;

    HostReductions(HostArrays arrays) {
        this.arrays = arrays;
    }

    @Override
    public void reduce(Kind kind, Tensor result, Tensor operand) {
        double[] in = arrays.read(operand);
        double[] out = new double[Math.toIntExact(result.elements())];
        Arrays.fill(
                out,
                switch (kind) {
                    case SUM, MEAN, ANY -> 0;
                    case MAX -> Double.NEGATIVE_INFINITY;
                    case MIN -> Double.POSITIVE_INFINITY;
                    case ALL -> 1;
                });
        int[] goal = goals(operand.sizes(), result.sizes());
        for (int i = 0; i < in.length; i++) {
            out[goal[i]] = step(kind, out[goal[i]], in[i]);
        }
        if (kind == Kind.MEAN) {
            double share = (double) out.length / in.length;
            for (int i = 0; i < out.length; i++) {
                out[i] *= share;
            }
        }
        arrays.write(result, out);
    }

    private static double step(Kind kind, double before, double value) {
        return switch (kind) {
            case SUM, MEAN -> before + value;
            case MAX -> Math.max(before, value);
            case MIN -> Math.min(before, value);
            case ANY -> before != 0 || value != 0 ? 1 : 0;
            case ALL -> before != 0 && value != 0 ? 1 : 0;
        };
    }

    /** By element of the operand: the element of the result that it goes to. */
    private static int[] goals(long[] from, long[] to) {
        long[] steps = Layout.contiguous(to);
        int[] out = new int[Math.toIntExact(Layout.elements(from))];
        long[] at = new long[from.length];
        for (int i = 0; i < out.length; i++) {
            int goal = 0;
            for (int d = 0; d < from.length; d++) {
                goal += to[d] == 1 ? 0 : (int) (at[d] * steps[d]);
            }
            out[i] = goal;
            for (int d = from.length - 1; d >= 0 && ++at[d] == from[d]; d--) {
                at[d] = 0;
            }
        }
        return out;
    }

    @Override
    public void cumulativeSum(Tensor result, Tensor operand, int dim) {
        double[] values = arrays.read(operand);
        long[] sizes = operand.sizes();
        int n = sizes.length == 0 ? 1 : (int) sizes[dim];
        int inner = 1;
        for (int d = dim + 1; d < sizes.length; d++) {
            inner *= (int) sizes[d];
        }
        for (int i = 0; i < values.length; i++) {
            if (i / inner % n > 0) {
                values[i] += values[i - inner];
            }
        }
        arrays.write(result, values);
    }
}
