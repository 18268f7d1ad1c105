package dev.headroom.executor.host;

import dev.headroom.executor.kernel.NormalizationKernels;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;

final class HostNormalizations implements NormalizationKernels {
    private final HostArrays arrays;

    HostNormalizations(HostArrays arrays) {
        this.arrays = arrays;
    }

    @Override
    public long batchNormReserveBytes(Tensor x) {
        return 0;
    }

    @Override
    public long batchNormWorkspaceBytes(Tensor x, boolean backward) {
        return 0;
    }

    /** Values or, without a tensor, a constant. */
    private double[] read(Tensor t, long n, double otherwise) {
        if (t != null) {
            return arrays.read(t);
        }
        double[] out = new double[Math.toIntExact(n)];
        Arrays.fill(out, otherwise);
        return out;
    }

    private void write(Tensor t, double[] values) {
        if (t != null) {
            arrays.write(t, values);
        }
    }

    /** Elements behind one another that share a channel. */
    private static int plane(Tensor x) {
        return Math.toIntExact(x.elements() / (x.size(0) * x.size(1)));
    }

    @Override
    public void batchNorm(
            Tensor out,
            Tensor x,
            Tensor weight,
            Tensor bias,
            Tensor runningMean,
            Tensor runningVariance,
            Tensor mean,
            Tensor invstd,
            double momentum,
            double epsilon,
            Library library) {
        int channels = (int) x.size(1);
        int plane = plane(x);
        double[] in = arrays.read(x);
        double n = (double) in.length / channels;
        double[] means = new double[channels];
        double[] variances = new double[channels];
        for (int i = 0; i < in.length; i++) {
            means[i / plane % channels] += in[i] / n;
        }
        for (int i = 0; i < in.length; i++) {
            double d = in[i] - means[i / plane % channels];
            variances[i / plane % channels] += d * d / n;
        }
        double[] inverse = inverse(variances, epsilon);
        normalise(out, in, plane, read(weight, channels, 1), read(bias, channels, 0), means, inverse);
        arrays.write(mean, means);
        arrays.write(invstd, inverse);
        if (runningMean != null) {
            double[] unbiased = Arrays.stream(variances)
                    .map(v -> v * n / Math.max(1, n - 1))
                    .toArray();
            move(runningMean, means, momentum);
            move(runningVariance, unbiased, momentum);
        }
    }

    private static double[] inverse(double[] variances, double epsilon) {
        return Arrays.stream(variances).map(v -> 1 / Math.sqrt(v + epsilon)).toArray();
    }

    private void move(Tensor running, double[] seen, double momentum) {
        double[] values = arrays.read(running);
        for (int i = 0; i < values.length; i++) {
            values[i] += momentum * (seen[i] - values[i]);
        }
        arrays.write(running, values);
    }

    private void normalise(
            Tensor out, double[] in, int plane, double[] w, double[] b, double[] mean, double[] inverse) {
        double[] values = new double[in.length];
        for (int i = 0; i < in.length; i++) {
            int c = i / plane % mean.length;
            values[i] = (in[i] - mean[c]) * inverse[c] * w[c] + b[c];
        }
        arrays.write(out, values);
    }

    @Override
    public void batchNormEvaluation(
            Tensor out, Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor variance, double epsilon) {
        long channels = x.size(1);
        double[] inverse = inverse(arrays.read(variance), epsilon);
        double[] w = read(weight, channels, 1);
        normalise(out, arrays.read(x), plane(x), w, read(bias, channels, 0), arrays.read(mean), inverse);
    }

    @Override
    public void batchNormBackward(
            Tensor gradX,
            Tensor gradWeight,
            Tensor gradBias,
            Tensor g,
            Tensor x,
            Tensor weight,
            Tensor mean,
            Tensor invstd,
            Library library) {
        backward(gradX, gradWeight, gradBias, g, x, weight, arrays.read(mean), arrays.read(invstd), true);
    }

    @Override
    public void batchNormEvaluationBackward(
            Tensor gradX,
            Tensor gradWeight,
            Tensor gradBias,
            Tensor g,
            Tensor x,
            Tensor weight,
            Tensor mean,
            Tensor variance,
            double epsilon) {
        double[] inverse = inverse(arrays.read(variance), epsilon);
        backward(gradX, gradWeight, gradBias, g, x, weight, arrays.read(mean), inverse, false);
    }

    private void backward(
            Tensor gradX,
            Tensor gradWeight,
            Tensor gradBias,
            Tensor g,
            Tensor x,
            Tensor weight,
            double[] mean,
            double[] inverse,
            boolean statisticsDepend) {
        int channels = mean.length;
        int plane = plane(x);
        double[] in = arrays.read(x);
        double[] up = arrays.read(g);
        double[] w = read(weight, channels, 1);
        double[] sums = new double[channels];
        double[] products = new double[channels];
        for (int i = 0; i < in.length; i++) {
            int c = i / plane % channels;
            sums[c] += up[i];
            products[c] += up[i] * (in[i] - mean[c]) * inverse[c];
        }
        if (gradX != null) {
            double n = (double) in.length / channels;
            double[] out = new double[in.length];
            for (int i = 0; i < out.length; i++) {
                int c = i / plane % channels;
                double common = statisticsDepend ? (sums[c] + (in[i] - mean[c]) * inverse[c] * products[c]) / n : 0;
                out[i] = (up[i] - common) * inverse[c] * w[c];
            }
            arrays.write(gradX, out);
        }
        write(gradWeight, products);
        write(gradBias, sums);
    }

    @Override
    public void groupNorm(
            Tensor out, Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor rstd, int groups, double epsilon) {
        int channels = (int) x.size(1);
        int plane = plane(x);
        double[] in = arrays.read(x);
        double[] w = read(weight, channels, 1);
        double[] b = read(bias, channels, 0);
        double[] means = new double[Math.toIntExact(mean.elements())];
        double[] variances = new double[means.length];
        int n = in.length / means.length;
        for (int i = 0; i < in.length; i++) {
            means[i / n] += in[i] / n;
        }
        for (int i = 0; i < in.length; i++) {
            double d = in[i] - means[i / n];
            variances[i / n] += d * d / n;
        }
        double[] inverse = inverse(variances, epsilon);
        double[] values = new double[in.length];
        for (int i = 0; i < in.length; i++) {
            int c = i / plane % channels;
            values[i] = (in[i] - means[i / n]) * inverse[i / n] * w[c] + b[c];
        }
        arrays.write(out, values);
        arrays.write(mean, means);
        arrays.write(rstd, inverse);
    }

    @Override
    public void groupNormBackward(
            Tensor gradX,
            Tensor gradWeight,
            Tensor gradBias,
            Tensor g,
            Tensor x,
            Tensor weight,
            Tensor mean,
            Tensor rstd,
            int groups) {
        int channels = (int) x.size(1);
        int plane = plane(x);
        double[] in = arrays.read(x);
        double[] up = arrays.read(g);
        double[] w = read(weight, channels, 1);
        double[] means = arrays.read(mean);
        double[] inverse = arrays.read(rstd);
        int n = in.length / means.length;
        double[] ofWeight = new double[channels];
        double[] ofBias = new double[channels];
        double[] sums = new double[means.length];
        double[] products = new double[means.length];
        for (int i = 0; i < in.length; i++) {
            int c = i / plane % channels;
            double normal = (in[i] - means[i / n]) * inverse[i / n];
            ofWeight[c] += up[i] * normal;
            ofBias[c] += up[i];
            sums[i / n] += up[i] * w[c];
            products[i / n] += up[i] * w[c] * normal;
        }
        if (gradX != null) {
            double[] out = new double[in.length];
            for (int i = 0; i < out.length; i++) {
                double normal = (in[i] - means[i / n]) * inverse[i / n];
                double common = (sums[i / n] + normal * products[i / n]) / n;
                out[i] = (up[i] * w[i / plane % channels] - common) * inverse[i / n];
            }
            arrays.write(gradX, out);
        }
        write(gradWeight, ofWeight);
        write(gradBias, ofBias);
    }

    @Override
    public void layerNorm(
            Tensor result, Tensor mean, Tensor rstd, Tensor x, Tensor weight, Tensor bias, double epsilon) {
        new HostLayerNorm(arrays).forward(result, mean, rstd, x, weight, bias, epsilon);
    }

    @Override
    public void layerNormGradient(
            Tensor dx, Tensor dweight, Tensor dbias, Tensor g, Tensor x, Tensor mean, Tensor rstd, Tensor weight) {
        new HostLayerNorm(arrays).gradient(dx, dweight, dbias, g, x, mean, rstd, weight);
    }
}
