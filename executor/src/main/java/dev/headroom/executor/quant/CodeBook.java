package dev.headroom.executor.quant;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A table of numbers between -1 and 1, of which a code is the position.
 *
 * <p>NF4 holds the quantiles of a normal distribution (Dettmers et al., QLoRA, arXiv 2305.14314, appendix E). FP4 is a
 * float of a sign, two exponent bits and a mantissa bit, in the order of its bits. The dynamic types spend bits on an
 * exponent where numbers are small (Dettmers, 8-Bit Approximations for Parallelism in Deep Learning, arXiv 1511.04561).
 */
public final class CodeBook {
    public static final CodeBook NF4 = new CodeBook(
            -1.0,
            -0.6961928009986877,
            -0.5250730514526367,
            -0.39491748809814453,
            -0.28444138169288635,
            -0.18477343022823334,
            -0.09105003625154495,
            0.0,
            0.07958029955625534,
            0.16093020141124725,
            0.24611230194568634,
            0.33791524171829224,
            0.44070982933044434,
            0.5626170039176941,
            0.7229568362236023,
            1.0);

    public static final CodeBook FP4 = floats();

    /** 8 bits with a sign. */
    public static final CodeBook DYNAMIC = dynamic(true);

    /** 8 bits without a sign, for what is never negative. */
    public static final CodeBook UNSIGNED = dynamic(false);

    private final double[] numbers;

    /** Positions in the order of their numbers. */
    private final int[] ordered;

    /** Codes of positive numbers where a bit more makes them negative, else 0. */
    private final int sign;

    private CodeBook(double... numbers) {
        this(0, numbers);
    }

    private CodeBook(int sign, double... numbers) {
        this.sign = sign;
        this.numbers = new double[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            this.numbers[i] = (float) numbers[i];
        }
        this.ordered = IntStream.range(0, sign == 0 ? numbers.length : sign)
                .boxed()
                .sorted((a, b) -> Double.compare(this.numbers[a], this.numbers[b]))
                .mapToInt(i -> i)
                .toArray();
    }

    private static CodeBook floats() {
        double[] positive = {0, 0.0625, 8, 12, 4, 6, 2, 3};
        double[] all = new double[2 * positive.length];
        for (int i = 0; i < positive.length; i++) {
            all[i] = positive[i] / 12;
            all[i + positive.length] = -positive[i] / 12;
        }
        return new CodeBook(positive.length, all);
    }

    /** For each power of ten the middles of equal parts from a tenth to one, twice as many for each greater power. */
    private static CodeBook dynamic(boolean signed) {
        List<Double> all = new ArrayList<>(List.of(0.0, 1.0));
        for (int i = 0; i < 7; i++) {
            int parts = 1 << (signed ? i : i + 1);
            for (int k = 0; k < parts; k++) {
                double middle = 0.1 + 0.9 * (k + 0.5) / parts;
                double value = Math.pow(10, i - 6) * middle;
                all.add(value);
                if (signed) {
                    all.add(-value);
                }
            }
        }
        double[] sorted = all.stream().mapToDouble(d -> d).sorted().toArray();
        return new CodeBook(sorted);
    }

    /** The number of a code. */
    public double number(int code) {
        return numbers[code];
    }

    /** How many codes there are. */
    public int size() {
        return numbers.length;
    }

    /** All numbers, by code. */
    public double[] numbers() {
        return numbers.clone();
    }

    /** The code of the nearest number; of two that are as near, the lower one's. */
    public int nearest(double x) {
        return sign != 0 && x < 0 ? sign + among(-x) : among(x);
    }

    private int among(double x) {
        int from = 0;
        int to = ordered.length - 1;
        while (from < to) {
            int middle = (from + to) / 2;
            double border = (numbers[ordered[middle]] + numbers[ordered[middle + 1]]) / 2;
            if (x <= border) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        return ordered[from];
    }

    @Override
    public String toString() {
        return Arrays.toString(numbers);
    }
}
