package dev.headroom.executor.host;

import dev.headroom.executor.kernel.SoftmaxKernels;
import dev.headroom.executor.tensor.Tensor;

final class HostSoftmaxes implements SoftmaxKernels {
    private final HostArrays arrays;

    HostSoftmaxes(HostArrays arrays) {
        this.arrays = arrays;
    }

    /** Computes one slice: element i is at {@code from + i * step}. */
    @FunctionalInterface
    private interface Slice {
        void compute(int from, int step, int count);
    }

    @Override
    public void softmax(Tensor result, Tensor x, int dim, boolean log) {
        double[] values = arrays.read(x);
        slices(x, dim, (from, step, count) -> {
            double most = Double.NEGATIVE_INFINITY;
            for (int i = 0; i < count; i++) {
                most = Math.max(most, values[from + i * step]);
            }
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += Math.exp(values[from + i * step] - most);
            }
            double logSum = Math.log(sum) + most;
            for (int i = 0; i < count; i++) {
                int at = from + i * step;
                values[at] = log ? values[at] - logSum : Math.exp(values[at] - most) / sum;
            }
        });
        arrays.write(result, values);
    }

    @Override
    public void softmaxBackward(Tensor gradient, Tensor g, Tensor y, int dim, boolean log) {
        double[] values = arrays.read(g);
        double[] results = arrays.read(y);
        slices(g, dim, (from, step, count) -> {
            double sum = 0;
            for (int i = 0; i < count; i++) {
                int at = from + i * step;
                sum += log ? values[at] : values[at] * results[at];
            }
            for (int i = 0; i < count; i++) {
                int at = from + i * step;
                values[at] = log ? values[at] - Math.exp(results[at]) * sum : results[at] * (values[at] - sum);
            }
        });
        arrays.write(gradient, values);
    }

    private static void slices(Tensor t, int dim, Slice slice) {
        if (t.elements() == 0) {
            return;
        }
        int count = t.dims() == 0 ? 1 : (int) t.size(dim);
        int step = 1;
        for (int d = dim + 1; d < t.dims(); d++) {
            step *= (int) t.size(d);
        }
        int n = (int) t.elements();
        for (int outer = 0; outer < n; outer += count * step) {
            for (int inner = 0; inner < step; inner++) {
                slice.compute(outer + inner, step, count);
            }
        }
    }
}
