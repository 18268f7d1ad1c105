package dev.headroom.executor.host;

import dev.headroom.executor.kernel.MatrixKernels.Algebra;
import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Inverses, determinants and solutions by Gauss and Jordan, with the greatest pivots of their columns. */
final class HostAlgebra {
    private final HostArrays arrays;

    HostAlgebra(HostArrays arrays) {
        this.arrays = arrays;
    }

    /** @param logarithm of the determinant's size */
    private record Solved(double[] inverse, double sign, double logarithm) {
        double determinant() {
            return sign * Math.exp(logarithm);
        }
    }

    private static Solved solved(double[] all, int first, int n) {
        double[] m = new double[n * n];
        System.arraycopy(all, first, m, 0, n * n);
        double[] inverse = new double[n * n];
        for (int i = 0; i < n; i++) {
            inverse[i * n + i] = 1;
        }
        double sign = 1;
        double logarithm = 0;
        for (int c = 0; c < n; c++) {
            int best = c;
            for (int r = c + 1; r < n; r++) {
                best = Math.abs(m[r * n + c]) > Math.abs(m[best * n + c]) ? r : best;
            }
            sign *= best == c ? 1 : -1;
            double pivot = m[best * n + c];
            sign *= Math.signum(pivot);
            logarithm += Math.log(Math.abs(pivot));
            for (int k = 0; k < n; k++) {
                swap(m, c * n + k, best * n + k);
                swap(inverse, c * n + k, best * n + k);
                m[c * n + k] /= pivot;
                inverse[c * n + k] /= pivot;
            }
            for (int r = 0; r < n; r++) {
                double factor = m[r * n + c];
                for (int k = 0; r != c && k < n; k++) {
                    m[r * n + k] -= factor * m[c * n + k];
                    inverse[r * n + k] -= factor * inverse[c * n + k];
                }
            }
        }
        return new Solved(inverse, sign, logarithm);
    }

    private static void swap(double[] a, int i, int j) {
        double t = a[i];
        a[i] = a[j];
        a[j] = t;
    }

    /** {@code out[batch] += scale op(a) op(b)} of n × k and k × m matrices. */
    private static double[] product(double[] a, boolean turnA, double[] b, boolean turnB, int n, int k, int m) {
        double[] out = new double[n * m];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < m; j++) {
                for (int p = 0; p < k; p++) {
                    out[i * m + j] += a[turnA ? p * n + i : i * k + p] * b[turnB ? j * k + p : p * m + j];
                }
            }
        }
        return out;
    }

    private static double[] part(double[] all, int i, int size) {
        double[] out = new double[size];
        System.arraycopy(all, i * size, out, 0, size);
        return out;
    }

    void compute(Algebra function, Tensor[] results, Tensor a, @Nullable Tensor b) {
        int n = (int) a.size(-1);
        double[] in = arrays.read(a);
        double[] right = b == null ? new double[0] : arrays.read(b);
        double[][] out = new double[results.length][];
        for (int i = 0; i < out.length; i++) {
            out[i] = new double[Math.toIntExact(results[i].elements())];
        }
        int batches = n == 0 ? 0 : in.length / (n * n);
        for (int i = 0; i < batches; i++) {
            Solved s = solved(in, i * n * n, n);
            switch (function) {
                case INVERSE -> System.arraycopy(s.inverse(), 0, out[0], i * n * n, n * n);
                case DETERMINANT -> out[0][i] = s.determinant();
                case LOG_DETERMINANT -> out[0][i] = s.sign() > 0 ? s.logarithm() : Double.NaN;
                case SIGN_AND_LOG -> {
                    out[0][i] = s.sign();
                    out[1][i] = s.logarithm();
                }
                case SOLVE -> {
                    int size = right.length / batches;
                    double[] x = product(s.inverse(), false, part(right, i, size), false, n, n, size / n);
                    System.arraycopy(x, 0, out[0], i * size, size);
                }
            }
        }
        for (int i = 0; i < out.length; i++) {
            arrays.write(results[i], out[i]);
        }
    }

    void gradients(
            Algebra function,
            @Nullable Tensor[] g,
            Tensor a,
            @Nullable Tensor b,
            @Nullable Tensor ofA,
            @Nullable Tensor ofB) {
        int n = (int) a.size(-1);
        double[] in = arrays.read(a);
        double[] right = b == null ? new double[0] : arrays.read(b);
        Tensor last = g[g.length - 1]; // a sign has no gradient
        double[] up = last == null ? new double[in.length] : arrays.read(last);
        double[] first = new double[in.length];
        double[] second = new double[right.length];
        int batches = n == 0 ? 0 : in.length / (n * n);
        for (int i = 0; i < batches; i++) {
            Solved s = solved(in, i * n * n, n);
            double[] of = new double[n * n];
            switch (function) {
                case INVERSE -> {
                    double[] left = product(s.inverse(), true, part(up, i, n * n), false, n, n, n);
                    of = product(left, false, s.inverse(), true, n, n, n);
                    negate(of);
                }
                case SOLVE -> {
                    int size = right.length / batches;
                    int m = size / n;
                    double[] x = product(s.inverse(), false, part(right, i, size), false, n, n, m);
                    double[] ofRight = product(s.inverse(), true, part(up, i, size), false, n, n, m);
                    System.arraycopy(ofRight, 0, second, i * size, size);
                    of = product(ofRight, false, x, true, n, m, n);
                    negate(of);
                }
                default -> {
                    double scale = function == Algebra.DETERMINANT ? up[i] * s.determinant() : up[i];
                    for (int k = 0; k < n * n; k++) {
                        of[k] = scale * s.inverse()[k % n * n + k / n];
                    }
                }
            }
            System.arraycopy(of, 0, first, i * n * n, n * n);
        }
        if (ofA != null) {
            arrays.write(ofA, first);
        }
        if (ofB != null) {
            arrays.write(ofB, second);
        }
    }

    private static void negate(double[] values) {
        for (int i = 0; i < values.length; i++) {
            values[i] = -values[i];
        }
    }
}
