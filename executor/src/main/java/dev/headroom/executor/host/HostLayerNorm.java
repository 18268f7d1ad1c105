package dev.headroom.executor.host;

import dev.headroom.executor.tensor.Tensor;

/** Layer normalisation of rows. */
final class HostLayerNorm {
    private final HostArrays arrays;

    HostLayerNorm(HostArrays arrays) {
        this.arrays = arrays;
    }

    void forward(Tensor result, Tensor mean, Tensor rstd, Tensor x, Tensor weight, Tensor bias, double epsilon) {
        int rows = (int) x.size(0);
        int n = (int) x.size(1);
        double[] values = arrays.read(x);
        double[] means = new double[rows];
        double[] rstds = new double[rows];
        double[] w = weight == null ? null : arrays.read(weight);
        double[] b = bias == null ? null : arrays.read(bias);
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) {
                sum += values[i * n + j];
            }
            means[i] = sum / n;
            double squares = 0;
            for (int j = 0; j < n; j++) {
                double d = values[i * n + j] - means[i];
                squares += d * d;
            }
            rstds[i] = 1 / Math.sqrt(squares / n + epsilon);
            for (int j = 0; j < n; j++) {
                double y = (values[i * n + j] - means[i]) * rstds[i];
                values[i * n + j] = y * (w == null ? 1 : w[j]) + (b == null ? 0 : b[j]);
            }
        }
        arrays.write(result, values);
        arrays.write(mean, means);
        arrays.write(rstd, rstds);
    }

    void gradient(
            Tensor dx, Tensor dweight, Tensor dbias, Tensor g, Tensor x, Tensor mean, Tensor rstd, Tensor weight) {
        int rows = (int) x.size(0);
        int n = (int) x.size(1);
        double[] gs = arrays.read(g);
        double[] xs = arrays.read(x);
        double[] means = arrays.read(mean);
        double[] rstds = arrays.read(rstd);
        double[] w = weight == null ? null : arrays.read(weight);
        double[] out = new double[rows * n];
        double[] dw = new double[n];
        double[] db = new double[n];
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            double product = 0;
            for (int j = 0; j < n; j++) {
                double normal = (xs[i * n + j] - means[i]) * rstds[i];
                double scaled = gs[i * n + j] * (w == null ? 1 : w[j]);
                sum += scaled;
                product += scaled * normal;
                dw[j] += gs[i * n + j] * normal;
                db[j] += gs[i * n + j];
            }
            for (int j = 0; j < n; j++) {
                double normal = (xs[i * n + j] - means[i]) * rstds[i];
                double scaled = gs[i * n + j] * (w == null ? 1 : w[j]);
                out[i * n + j] = rstds[i] * (scaled - (sum + normal * product) / n);
            }
        }
        write(dx, out);
        write(dweight, dw);
        write(dbias, db);
    }

    private void write(Tensor t, double[] values) {
        if (t != null) {
            arrays.write(t, values);
        }
    }
}
