package dev.headroom.model.rewrite;

import java.util.Arrays;

/**
 * An integer tensor whose element at index i is {@code constant + sum(coefficients[d] * i[d])}.
 *
 * @param sizes of the tensor
 */
record Affine(long[] sizes, long[] coefficients, long constant) {
    static Affine constant(long[] sizes, long value) {
        return new Affine(sizes, new long[sizes.length], value);
    }

    boolean isConstant() {
        for (int d = 0; d < sizes.length; d++) {
            if (coefficients[d] != 0 && sizes[d] > 1) {
                return false;
            }
        }
        return true;
    }

    /** Least value of any element. */
    long min() {
        long m = constant;
        for (int d = 0; d < sizes.length; d++) {
            m += Math.min(0, coefficients[d] * (sizes[d] - 1));
        }
        return m;
    }

    /** Greatest value of any element. */
    long max() {
        long m = constant;
        for (int d = 0; d < sizes.length; d++) {
            m += Math.max(0, coefficients[d] * (sizes[d] - 1));
        }
        return m;
    }

    Affine plus(long value) {
        return new Affine(sizes, coefficients, constant + value);
    }

    Affine times(long value) {
        long[] c = coefficients.clone();
        for (int d = 0; d < c.length; d++) {
            c[d] *= value;
        }
        return new Affine(sizes, c, constant * value);
    }

    Affine plus(Affine other) {
        long[] to = dev.headroom.model.graph.Shapes.broadcast(sizes, other.sizes);
        Affine a = expand(to);
        Affine b = other.expand(to);
        long[] c = new long[to.length];
        for (int d = 0; d < c.length; d++) {
            c[d] = a.coefficients[d] + b.coefficients[d];
        }
        return new Affine(to, c, a.constant + b.constant);
    }

    Affine minus(Affine other) {
        return plus(other.times(-1));
    }

    /** Broadcast to a larger shape. */
    Affine expand(long[] to) {
        long[] c = new long[to.length];
        int shift = to.length - sizes.length;
        for (int d = shift; d < to.length; d++) {
            c[d] = sizes[d - shift] == 1 ? 0 : coefficients[d - shift];
        }
        return new Affine(to, c, constant);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Affine a
                && Arrays.equals(sizes, a.sizes)
                && Arrays.equals(coefficients, a.coefficients)
                && constant == a.constant;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(coefficients) + Long.hashCode(constant);
    }
}
