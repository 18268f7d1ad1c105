package dev.headroom.executor.host;

import dev.headroom.executor.kernel.BagCall;
import dev.headroom.executor.kernel.BagCall.Mode;
import dev.headroom.executor.tensor.Tensor;
import java.util.Arrays;

/** Bags of rows of a table. */
final class HostBags {
    private final HostArrays arrays;
    private final BagCall call;
    private final double[] indices;
    private final double[] offsets;
    private final double[] factors;

    HostBags(HostArrays arrays, BagCall call) {
        this.arrays = arrays;
        this.call = call;
        this.indices = arrays.read(call.indices());
        this.offsets = arrays.read(call.offsets());
        this.factors = call.factors() == null ? filled(indices.length) : arrays.read(call.factors());
    }

    private static double[] filled(int n) {
        double[] out = new double[n];
        Arrays.fill(out, 1);
        return out;
    }

    /** Where a bag ends. */
    private int end(int bag) {
        return bag + 1 < offsets.length ? (int) offsets[bag + 1] : indices.length;
    }

    private boolean counts(int i) {
        return (long) indices[i] != call.padding();
    }

    void forward(Tensor result, Tensor weight, Tensor bagOf, Tensor sizes, Tensor largest) {
        double[] rows = arrays.read(weight);
        int width = (int) weight.size(1);
        int bags = (int) result.size(0);
        double[] out = new double[bags * width];
        double[] of = new double[indices.length];
        double[] counted = new double[Math.toIntExact(sizes.elements())];
        double[] where = new double[Math.toIntExact(largest.elements())];
        Arrays.fill(where, -1);
        for (int bag = 0; bag < bags; bag++) {
            for (int i = (int) offsets[bag]; i < end(bag); i++) {
                of[i] = bag;
                if (counts(i)) {
                    add(out, where, rows, bag * width, i, width, counted[bag] == 0);
                    counted[bag]++;
                }
            }
            for (int c = 0; c < width && call.mode() == Mode.MEAN; c++) {
                out[bag * width + c] /= Math.max(1, counted[bag]);
            }
        }
        arrays.write(result, out);
        arrays.write(bagOf, of);
        arrays.write(sizes, counted);
        arrays.write(largest, where);
    }

    private void add(double[] out, double[] where, double[] rows, int to, int i, int width, boolean first) {
        int from = ((int) indices[i]) * width;
        for (int c = 0; c < width; c++) {
            if (call.mode() != Mode.MAX) {
                out[to + c] += factors[i] * rows[from + c];
            } else if (first || rows[from + c] > out[to + c]) {
                out[to + c] = rows[from + c];
                where[to + c] = indices[i];
            }
        }
    }

    void backward(Tensor gradient, Tensor g, Tensor bagOf, Tensor sizes, Tensor largest) {
        double[] up = arrays.read(g);
        double[] of = arrays.read(bagOf);
        double[] counted = arrays.read(sizes);
        double[] where = arrays.read(largest);
        double[] out = arrays.read(gradient);
        int width = (int) gradient.size(1);
        if (call.mode() == Mode.MAX) {
            for (int i = 0; i < up.length; i++) {
                if (where[i] >= 0) {
                    out[((int) where[i]) * width + i % width] += up[i];
                }
            }
        }
        for (int i = 0; i < indices.length && call.mode() != Mode.MAX; i++) {
            double share = call.mode() == Mode.MEAN ? factors[i] / counted[(int) of[i]] : factors[i];
            for (int c = 0; c < width && counts(i); c++) {
                out[((int) indices[i]) * width + c] += share * up[((int) of[i]) * width + c];
            }
        }
        arrays.write(gradient, out);
    }

    void factorsBackward(Tensor gradient, Tensor g, Tensor weight, Tensor bagOf) {
        double[] up = arrays.read(g);
        double[] rows = arrays.read(weight);
        double[] of = arrays.read(bagOf);
        int width = (int) weight.size(1);
        double[] out = new double[indices.length];
        for (int i = 0; i < out.length; i++) {
            for (int c = 0; c < width && counts(i); c++) {
                out[i] += up[((int) of[i]) * width + c] * rows[((int) indices[i]) * width + c];
            }
        }
        arrays.write(gradient, out);
    }
}
