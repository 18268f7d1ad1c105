package dev.headroom.executor.host;

import dev.headroom.executor.kernel.MatrixKernels;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

final class HostMatrices implements MatrixKernels {
    private final HostArrays arrays;

    HostMatrices(HostArrays arrays) {
        this.arrays = arrays;
    }

    @Override
    public void multiply(Tensor result, Tensor a, Tensor b, double alpha, double beta, @Nullable Tensor workspace) {
        int m = (int) a.size(-2);
        int k = (int) a.size(-1);
        int n = (int) b.size(-1);
        double[] x = arrays.read(a);
        double[] y = arrays.read(b);
        double[] out = beta == 0 ? new double[Math.toIntExact(result.elements())] : arrays.read(result);
        int batches = out.length == 0 ? 0 : out.length / (m * n);
        double[] row = new double[n];
        for (int i = 0; i < batches * m; i++) {
            Arrays.fill(row, 0);
            int batch = i / m;
            for (int p = 0; p < k; p++) {
                double factor = x[i * k + p];
                int from = (batch * k + p) * n;
                for (int j = 0; j < n; j++) {
                    row[j] += factor * y[from + j];
                }
            }
            for (int j = 0; j < n; j++) {
                int at = i * n + j;
                out[at] = alpha * row[j] + (beta == 0 ? 0 : beta * out[at]);
            }
        }
        arrays.write(result, out);
    }

    @Override
    public void distances(Tensor result, Tensor a, Tensor b, double order) {
        double[] x = arrays.read(a);
        double[] y = arrays.read(b);
        double[] out = new double[Math.toIntExact(result.elements())];
        int n = (int) a.size(-2);
        int m = (int) b.size(-2);
        int k = (int) a.size(-1);
        for (int i = 0; i < out.length; i++) {
            int row = i / m;
            int other = i / (n * m) * m + i % m;
            out[i] = HostDistances.length(order, x, row * k, y, other * k, k);
        }
        arrays.write(result, out);
    }

    @Override
    public void distanceSlopes(Tensor pairs, Tensor g, Tensor a, Tensor b, Tensor result, double order) {
        double[] x = arrays.read(a);
        double[] y = arrays.read(b);
        double[] lengths = arrays.read(result);
        double[] up = arrays.read(g);
        double[] out = new double[Math.toIntExact(pairs.elements())];
        int n = (int) a.size(-2);
        int m = (int) b.size(-2);
        int k = (int) a.size(-1);
        for (int i = 0; i < up.length; i++) {
            int row = i / m;
            int other = i / (n * m) * m + i % m;
            for (int p = 0; p < k; p++) {
                double difference = x[row * k + p] - y[other * k + p];
                out[(other * n + row % n) * k + p] = up[i] * HostDistances.slope(order, difference, lengths[i]);
            }
        }
        arrays.write(pairs, out);
    }

    @Override
    public void multiplyGroups(Tensor result, Tensor a, Tensor b, Tensor ends) {
        double[] x = arrays.read(a);
        double[] y = arrays.read(b);
        double[] last = arrays.read(ends);
        double[] out = new double[Math.toIntExact(result.elements())];
        boolean rows = result.dims() == 2;
        int n = (int) b.size(-1);
        int m = (int) a.size(0);
        int k = (int) a.size(1);
        int from = 0;
        for (int group = 0; group < last.length; group++) {
            int to = (int) last[group];
            for (int i = rows ? from : 0; i < (rows ? to : m); i++) {
                for (int p = rows ? 0 : from; p < (rows ? k : to); p++) {
                    int of = ((rows ? group * k : 0) + p) * n;
                    for (int j = 0; j < n; j++) {
                        out[((rows ? 0 : group * m) + i) * n + j] += x[i * k + p] * y[of + j];
                    }
                }
            }
            from = to;
        }
        arrays.write(result, out);
    }

    @Override
    public void algebra(Algebra function, Tensor[] results, Tensor a, @Nullable Tensor b) {
        new HostAlgebra(arrays).compute(function, results, a, b);
    }

    @Override
    public void algebraBackward(
            Algebra function,
            @Nullable Tensor[] g,
            Tensor a,
            @Nullable Tensor b,
            @Nullable Tensor ofA,
            @Nullable Tensor ofB) {
        new HostAlgebra(arrays).gradients(function, g, a, b, ofA, ofB);
    }
}
