package dev.headroom.executor.host;

import dev.headroom.executor.kernel.ElementwiseKernels;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.tensor.Tensor;

final class HostElementwise implements ElementwiseKernels {
    private final HostArrays arrays;

    HostElementwise(HostArrays arrays) {
        this.arrays = arrays;
    }

    @Override
    public void map(Formula formula, double[] numbers, Tensor[] results, Tensor... operands) {
        long[] sizes = results[0].sizes();
        double[][] in = new double[operands.length][];
        for (int i = 0; i < in.length; i++) {
            in[i] = arrays.read(operands[i], sizes);
        }
        int n = Math.toIntExact(results[0].elements());
        double[][] out = new double[results.length][n];
        double[] x = new double[in.length];
        double[] y = new double[out.length];
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < x.length; k++) {
                x[k] = in[k][i];
            }
            formula.host().compute(x, numbers, y);
            for (int k = 0; k < y.length; k++) {
                out[k][i] = y[k];
            }
        }
        for (int k = 0; k < out.length; k++) {
            arrays.write(results[k], out[k]);
        }
    }
}
