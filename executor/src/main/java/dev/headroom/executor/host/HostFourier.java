package dev.headroom.executor.host;

import dev.headroom.executor.kernel.VolumeKernels.Wave;
import dev.headroom.executor.tensor.Layout;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;

/** Fourier transforms by their definition, a dimension after the other. */
final class HostFourier {
    private final HostArrays arrays;

    HostFourier(HostArrays arrays) {
        this.arrays = arrays;
    }

    void transform(Tensor[] out, Tensor[] in, Wave wave) {
        long[] sizes = in[0].sizes().clone();
        double[] re = arrays.read(in[0]);
        double[] im = in.length > 1 ? arrays.read(in[1]) : new double[re.length];
        double[][] both = {re, im};
        int last = wave.dims().length - 1;
        if (wave.mirrored()) {
            both = mirrored(both, sizes, wave);
            sizes[wave.dims()[last]] = wave.lengths()[last];
        }
        for (int d : wave.dims()) {
            long[] next = sizes.clone();
            next[d] = out[0].size(d);
            both = along(both, sizes, next, d, wave.sign());
            sizes = next;
        }
        for (int part = 0; part < out.length; part++) {
            double[] values = both[part];
            for (int i = 0; i < values.length; i++) {
                values[i] *= wave.scale();
            }
            arrays.write(out[part], values);
        }
    }

    /** Conjugates of mirror images fill up the last transformed dimension. */
    private static double[][] mirrored(double[][] half, long[] sizes, Wave wave) {
        int last = wave.dims().length - 1;
        int dim = wave.dims()[last];
        long[] whole = sizes.clone();
        whole[dim] = wave.lengths()[last];
        long[] from = Layout.contiguous(sizes);
        int n = Math.toIntExact(Layout.elements(whole));
        double[][] out = new double[2][n];
        long[] at = new long[whole.length];
        for (int i = 0; i < n; i++) {
            boolean mirror = at[dim] >= sizes[dim];
            long[] place = at.clone();
            for (int d = 0; mirror && d <= last; d++) {
                int turned = wave.dims()[d];
                place[turned] = (whole[turned] - at[turned]) % whole[turned];
            }
            int of = 0;
            for (int d = 0; d < place.length; d++) {
                of += (int) (place[d] * from[d]);
            }
            out[0][i] = half[0][of];
            out[1][i] = mirror ? -half[1][of] : half[1][of];
            next(at, whole);
        }
        return out;
    }

    private static void next(long[] at, long[] sizes) {
        for (int d = sizes.length - 1; d >= 0; d--) {
            if (++at[d] < sizes[d]) {
                return;
            }
            at[d] = 0;
        }
    }

    private static double[][] along(double[][] in, long[] sizes, long[] next, int dim, int sign) {
        int length = (int) sizes[dim];
        int count = (int) next[dim];
        int inner = (int) Layout.elements(Arrays.copyOfRange(sizes, dim + 1, sizes.length));
        int outer = length == 0 ? 0 : in[0].length / (length * inner);
        double[] cos = new double[length];
        double[] sin = new double[length];
        for (int i = 0; i < length; i++) {
            cos[i] = Math.cos(2 * Math.PI * i / length);
            sin[i] = sign * Math.sin(2 * Math.PI * i / length);
        }
        double[][] out = new double[2][outer * count * inner];
        for (int o = 0; o < outer; o++) {
            for (int k = 0; k < count; k++) {
                for (int n = 0; n < length; n++) {
                    int turn = (int) ((long) n * k % length);
                    for (int i = 0; i < inner; i++) {
                        int from = (o * length + n) * inner + i;
                        int to = (o * count + k) * inner + i;
                        out[0][to] += in[0][from] * cos[turn] - in[1][from] * sin[turn];
                        out[1][to] += in[0][from] * sin[turn] + in[1][from] * cos[turn];
                    }
                }
            }
        }
        return out;
    }
}
