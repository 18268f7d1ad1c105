package dev.headroom.executor.host;

import dev.headroom.executor.kernel.LayerNormCall;
import dev.headroom.executor.kernel.NormGradients;
import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Layer normalisation of rows. */
final class HostLayerNorm {
    private final HostArrays arrays;

    HostLayerNorm(HostArrays arrays) {
        this.arrays = arrays;
    }

    void forward(LayerNormCall call, Tensor result) {
        Tensor x = call.x();
        int rows = (int) x.size(0);
        int n = (int) x.size(1);
        double[] values = arrays.read(x);
        double[] means = new double[rows];
        double[] rstds = new double[rows];
        double[] w = call.weight() == null ? null : arrays.read(call.weight());
        double[] b = call.bias() == null ? null : arrays.read(call.bias());
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) {
                sum += values[i * n + j];
            }
            means[i] = call.mean() == null ? 0 : sum / n;
            double squares = 0;
            for (int j = 0; j < n; j++) {
                double d = values[i * n + j] - means[i];
                squares += d * d;
            }
            rstds[i] = 1 / Math.sqrt(squares / n + call.epsilon());
            for (int j = 0; j < n; j++) {
                double y = (values[i * n + j] - means[i]) * rstds[i];
                values[i * n + j] = y * (w == null ? 1 : w[j]) + (b == null ? 0 : b[j]);
            }
        }
        arrays.write(result, values);
        write(call.mean(), means);
        arrays.write(call.rstd(), rstds);
    }

    void backward(LayerNormCall call, Tensor g, NormGradients gradients) {
        Tensor x = call.x();
        int rows = (int) x.size(0);
        int n = (int) x.size(1);
        double[] gs = arrays.read(g);
        double[] xs = arrays.read(x);
        double[] means = call.mean() == null ? new double[rows] : arrays.read(call.mean());
        double[] rstds = arrays.read(call.rstd());
        double[] w = call.weight() == null ? null : arrays.read(call.weight());
        double[] out = new double[rows * n];
        double[] dw = new double[n];
        double[] db = new double[n];
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            double product = 0;
            for (int j = 0; j < n; j++) {
                double normal = (xs[i * n + j] - means[i]) * rstds[i];
                double scaled = gs[i * n + j] * (w == null ? 1 : w[j]);
                sum += call.mean() == null ? 0 : scaled;
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
        write(gradients.x(), out);
        write(gradients.weight(), dw);
        write(gradients.bias(), db);
    }

    private void write(@Nullable Tensor t, double[] values) {
        if (t != null) {
            arrays.write(t, values);
        }
    }
}
