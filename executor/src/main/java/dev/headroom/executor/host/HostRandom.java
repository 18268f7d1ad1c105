package dev.headroom.executor.host;

import dev.headroom.executor.kernel.RandomKernels;
import dev.headroom.executor.tensor.Randomness;
import dev.headroom.executor.tensor.Tensor;

final class HostRandom implements RandomKernels {
    private static final double UNIT = 0x1p-24;

    private final HostArrays arrays;

    HostRandom(HostArrays arrays) {
        this.arrays = arrays;
    }

    /** In [0, 1), with 24 bits. */
    static double draw(long seed, int element) {
        return (Randomness.mixed(seed + element * 0x9E3779B97F4A7C15L) >>> 40) * UNIT;
    }

    @Override
    public void uniform(Tensor result, double from, double to, long seed) {
        double[] out = new double[Math.toIntExact(result.elements())];
        for (int i = 0; i < out.length; i++) {
            out[i] = from + (to - from) * draw(seed, i);
        }
        arrays.write(result, out);
    }

    @Override
    public void normal(Tensor result, double mean, double deviation, long seed) {
        double[] out = new double[Math.toIntExact(result.elements())];
        for (int i = 0; i < out.length; i++) {
            double length = Math.sqrt(-2 * Math.log(1 - draw(seed, i)));
            out[i] = mean + deviation * length * Math.cos(2 * Math.PI * draw(~seed, i));
        }
        arrays.write(result, out);
    }

    @Override
    public void bernoulli(Tensor result, double probability, long seed) {
        double[] out = new double[Math.toIntExact(result.elements())];
        for (int i = 0; i < out.length; i++) {
            out[i] = draw(seed, i) < probability ? 1 : 0;
        }
        arrays.write(result, out);
    }
}
