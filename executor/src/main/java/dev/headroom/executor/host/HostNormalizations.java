package dev.headroom.executor.host;

import dev.headroom.executor.kernel.BatchNormCall;
import dev.headroom.executor.kernel.GivenNormCall;
import dev.headroom.executor.kernel.GroupNormCall;
import dev.headroom.executor.kernel.LayerNormCall;
import dev.headroom.executor.kernel.NormGradients;
import dev.headroom.executor.kernel.NormalizationKernels;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

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
    private double[] read(@Nullable Tensor t, long n, double otherwise) {
        if (t != null) {
            return arrays.read(t);
        }
        double[] out = new double[Math.toIntExact(n)];
        Arrays.fill(out, otherwise);
        return out;
    }

    private void write(@Nullable Tensor t, double[] values) {
        if (t != null) {
            arrays.write(t, values);
        }
    }

    /** Elements behind one another that share a channel. */
    private static int plane(Tensor x) {
        return Math.toIntExact(x.elements() / (x.size(0) * x.size(1)));
    }

    @Override
    public void batchNorm(BatchNormCall call, BatchNormCall.Running running, Tensor out) {
        Tensor x = call.x();
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
        double[] inverse = inverse(variances, call.epsilon());
        Affine affine = new Affine(read(call.weight(), channels, 1), read(call.bias(), channels, 0));
        normalise(out, in, plane, affine, means, inverse);
        arrays.write(call.mean(), means);
        arrays.write(call.invstd(), inverse);
        double[] unbiased =
                Arrays.stream(variances).map(v -> v * n / Math.max(1, n - 1)).toArray();
        move(running.mean(), means, running.momentum());
        move(running.variance(), unbiased, running.momentum());
    }

    private static double[] inverse(double[] variances, double epsilon) {
        return Arrays.stream(variances).map(v -> 1 / Math.sqrt(v + epsilon)).toArray();
    }

    private void move(@Nullable Tensor running, double[] seen, double momentum) {
        if (running == null) {
            return;
        }
        double[] values = arrays.read(running);
        for (int i = 0; i < values.length; i++) {
            values[i] += momentum * (seen[i] - values[i]);
        }
        arrays.write(running, values);
    }

    /** What normalised values are multiplied with, and what is added to them, by channel. */
    private record Affine(double[] weight, double[] bias) {}

    private void normalise(Tensor out, double[] in, int plane, Affine affine, double[] mean, double[] inverse) {
        double[] values = new double[in.length];
        for (int i = 0; i < in.length; i++) {
            int c = i / plane % mean.length;
            values[i] = (in[i] - mean[c]) * inverse[c] * affine.weight()[c] + affine.bias()[c];
        }
        arrays.write(out, values);
    }

    @Override
    public void givenNorm(GivenNormCall call, Tensor out) {
        Tensor x = call.x();
        double[] inverse = inverse(arrays.read(call.variance()), call.epsilon());
        Affine affine = new Affine(read(call.weight(), x.size(1), 1), read(call.bias(), x.size(1), 0));
        normalise(out, arrays.read(x), plane(x), affine, arrays.read(call.mean()), inverse);
    }

    @Override
    public void batchNormBackward(BatchNormCall call, Tensor g, NormGradients gradients) {
        Statistics statistics = new Statistics(arrays.read(call.mean()), arrays.read(call.invstd()), true);
        backward(call.x(), call.weight(), statistics, g, gradients);
    }

    @Override
    public void givenNormBackward(GivenNormCall call, Tensor g, NormGradients gradients) {
        double[] inverse = inverse(arrays.read(call.variance()), call.epsilon());
        backward(call.x(), call.weight(), new Statistics(arrays.read(call.mean()), inverse, false), g, gradients);
    }

    /**
     * Mean and inverse of the deviation by channel.
     *
     * @param ofBatch whether they depend on the operand, so that gradients go through them
     */
    private record Statistics(double[] mean, double[] inverse, boolean ofBatch) {}

    private void backward(Tensor x, @Nullable Tensor weight, Statistics statistics, Tensor g, NormGradients gradients) {
        double[] mean = statistics.mean();
        double[] inverse = statistics.inverse();
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
        if (gradients.x() != null) {
            double n = (double) in.length / channels;
            double[] out = new double[in.length];
            for (int i = 0; i < out.length; i++) {
                int c = i / plane % channels;
                double common = statistics.ofBatch() ? (sums[c] + (in[i] - mean[c]) * inverse[c] * products[c]) / n : 0;
                out[i] = (up[i] - common) * inverse[c] * w[c];
            }
            arrays.write(gradients.x(), out);
        }
        write(gradients.weight(), products);
        write(gradients.bias(), sums);
    }

    @Override
    public void groupNorm(GroupNormCall call, Tensor out) {
        Tensor x = call.x();
        int channels = (int) x.size(1);
        int plane = plane(x);
        double[] in = arrays.read(x);
        double[] w = read(call.weight(), channels, 1);
        double[] b = read(call.bias(), channels, 0);
        double[] means = new double[Math.toIntExact(call.mean().elements())];
        double[] variances = new double[means.length];
        int n = in.length / means.length;
        for (int i = 0; i < in.length; i++) {
            means[i / n] += in[i] / n;
        }
        for (int i = 0; i < in.length; i++) {
            double d = in[i] - means[i / n];
            variances[i / n] += d * d / n;
        }
        double[] inverse = inverse(variances, call.epsilon());
        double[] values = new double[in.length];
        for (int i = 0; i < in.length; i++) {
            int c = i / plane % channels;
            values[i] = (in[i] - means[i / n]) * inverse[i / n] * w[c] + b[c];
        }
        arrays.write(out, values);
        arrays.write(call.mean(), means);
        arrays.write(call.rstd(), inverse);
    }

    @Override
    public void groupNormBackward(GroupNormCall call, Tensor g, NormGradients gradients) {
        Tensor x = call.x();
        int channels = (int) x.size(1);
        int plane = plane(x);
        double[] in = arrays.read(x);
        double[] up = arrays.read(g);
        double[] w = read(call.weight(), channels, 1);
        double[] means = arrays.read(call.mean());
        double[] inverse = arrays.read(call.rstd());
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
        if (gradients.x() != null) {
            double[] out = new double[in.length];
            for (int i = 0; i < out.length; i++) {
                double normal = (in[i] - means[i / n]) * inverse[i / n];
                double common = (sums[i / n] + normal * products[i / n]) / n;
                out[i] = (up[i] * w[i / plane % channels] - common) * inverse[i / n];
            }
            arrays.write(gradients.x(), out);
        }
        write(gradients.weight(), ofWeight);
        write(gradients.bias(), ofBias);
    }

    @Override
    public void layerNorm(LayerNormCall call, Tensor out) {
        new HostLayerNorm(arrays).forward(call, out);
    }

    @Override
    public void layerNormBackward(LayerNormCall call, Tensor g, NormGradients gradients) {
        new HostLayerNorm(arrays).backward(call, g, gradients);
    }
}
