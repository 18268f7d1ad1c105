package dev.headroom.executor.op.elementwise;

/** The error function, which Java lacks, to the last digits of double precision. */
public final class ErrorFunction {
    /** From here on it is 1. */
    private static final double SATURATION = 6;

    private ErrorFunction() {}

    /** The value at a place. */
    public static double erf(double x) {
        if (Math.abs(x) >= SATURATION) {
            return Math.signum(x);
        }
        // 2 exp(-x²) / sqrt(pi) times the sum of 2^n x^(2n+1) / (1·3·…·(2n+1)): all terms have one sign.
        double term = x;
        double sum = x;
        for (int n = 1; Math.abs(term) > Math.ulp(sum); n++) {
            term *= 2 * x * x / (2 * n + 1);
            sum += term;
        }
        return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
    }
}
