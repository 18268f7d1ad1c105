package dev.headroom.executor.host;

/** The upper half of a single-precision number. */
final class Bfloat16 {
    private Bfloat16() {}

    static double toDouble(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    /** Rounds to the nearest, ties to even, through single precision as GPUs do. */
    static short of(double value) {
        int bits = Float.floatToRawIntBits((float) value);
        if (Double.isNaN(value)) {
            return (short) 0x7FC0;
        }
        return (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16);
    }
}
