package dev.headroom.executor.quant;

/** Numbers as codes in blocks, each block scaled by its greatest absolute value. */
public final class Blocks {
    private Blocks() {}

    /** The greatest absolute value of each block. */
    public static double[] scales(double[] values, int block) {
        double[] out = new double[(values.length + block - 1) / block];
        for (int i = 0; i < values.length; i++) {
            out[i / block] = Math.max(out[i / block], Math.abs(values[i]));
        }
        return out;
    }

    /** The code of each number. */
    public static double[] codes(double[] values, double[] scales, int block, CodeBook book) {
        double[] out = new double[values.length];
        for (int i = 0; i < out.length; i++) {
            double scale = scales[i / block];
            out[i] = book.nearest(scale == 0 ? 0 : values[i] / scale);
        }
        return out;
    }

    /** The numbers that codes stand for. */
    public static double[] numbers(double[] codes, double[] scales, int block, CodeBook book) {
        double[] out = new double[codes.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = book.number((int) codes[i]) * scales[i / block];
        }
        return out;
    }

    /** Two codes of four bits a byte, the first in the upper half. */
    public static double[] packed(double[] codes) {
        double[] out = new double[(codes.length + 1) / 2];
        for (int i = 0; i < codes.length; i++) {
            out[i / 2] += i % 2 == 0 ? 16 * codes[i] : codes[i];
        }
        return out;
    }

    /** The codes out of bytes. */
    public static double[] unpacked(double[] bytes, int codes) {
        double[] out = new double[codes];
        for (int i = 0; i < codes; i++) {
            int both = (int) bytes[i / 2];
            out[i] = i % 2 == 0 ? both >> 4 : both & 15;
        }
        return out;
    }
}
