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
                    case SUM, MEAN, ANY, NORM -> 0;
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
        if (kind == Kind.NORM) {
            Arrays.setAll(out, i -> Math.sqrt(out[i]));
        }
        arrays.write(result, out);
    }

    @Override
    public void extremes(Kind kind, Tensor values, Tensor places, Tensor operand, int dim) {
        double[] in = arrays.read(operand);
        int n = operand.dims() == 0 ? 1 : (int) operand.sizes()[dim];
        int inner = 1;
        for (int d = dim + 1; d < operand.dims(); d++) {
            inner *= (int) operand.sizes()[d];
        }
        double[] best = new double[in.length / n];
        double[] where = new double[best.length];
        for (int i = 0; i < best.length; i++) {
            int first = i / inner * inner * n + i % inner;
            for (int k = 0; k < n; k++) {
                double value = in[first + k * inner];
                boolean better = kind == Kind.MAX ? value > best[i] : value < best[i];
                if (k == 0 || better) {
                    best[i] = value;
                    where[i] = k;
                }
            }
        }
        if (values != null) {
            arrays.write(values, best);
        }
        arrays.write(places, where);
    }

    @Override
    public void moments(Tensor variance, Tensor mean, Tensor operand, double correction) {
        double[] in = arrays.read(operand);
        double[] means = new double[Math.toIntExact(variance.elements())];
        double[] squares = new double[means.length];
        int[] goal = goals(operand.sizes(), variance.sizes());
        double n = (double) in.length / means.length;
        for (int i = 0; i < in.length; i++) {
            means[goal[i]] += in[i] / n;
        }
        for (int i = 0; i < in.length; i++) {
            double d = in[i] - means[goal[i]];
            squares[goal[i]] += d * d / Math.max(0, n - correction);
        }
        arrays.write(variance, squares);
        if (mean != null) {
            arrays.write(mean, means);
        }
    }

    private static double step(Kind kind, double before, double value) {
        return switch (kind) {
            case SUM, MEAN -> before + value;
            case NORM -> before + value * value;
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
