package dev.headroom.executor.host;

/** IEEE 754 half precision: 5 bits of exponent, 10 of fraction. */
final class Half {
    private static final int FRACTION = 10;
    private static final int LEAST_EXPONENT = -14;
    private static final double LARGEST_BEFORE_INFINITY = 65520;

    private Half() {}

    static double toDouble(short bits) {
        int exponent = bits >> FRACTION & 0x1F;
        int fraction = bits & 0x3FF;
        double magnitude;
        if (exponent == 0) {
            magnitude = Math.scalb((double) fraction, LEAST_EXPONENT - FRACTION);
        } else if (exponent == 0x1F) {
            magnitude = fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
        } else {
            magnitude = Math.scalb((double) (fraction | 0x400), exponent - 15 - FRACTION);
        }
        return bits < 0 ? -magnitude : magnitude;
    }

    /** Rounds to the nearest, ties to even. */
    static short of(double value) {
        int sign = Double.doubleToRawLongBits(value) < 0 ? 0x8000 : 0;
        double magnitude = Math.abs(value);
        if (Double.isNaN(value)) {
            return (short) 0x7E00;
        }
        if (magnitude >= LARGEST_BEFORE_INFINITY) {
            return (short) (sign | 0x7C00);
        }
        int exponent = magnitude == 0 ? LEAST_EXPONENT : Math.max(Math.getExponent(magnitude), LEAST_EXPONENT);
        int units = (int) Math.rint(Math.scalb(magnitude, FRACTION - exponent));
        // Numbers below the least exponent have no implicit bit; a carry out of the fraction raises the exponent by
        // itself.
        int biased = exponent - LEAST_EXPONENT + 1;
        int bits = units < 0x400 ? units : (biased << FRACTION) + (units - 0x400);
        return (short) (sign | bits);
    }
}
