package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.elementwise.ErrorFunction;

/** Special functions of mathematics, each as Java and as CUDA C by the same series. */
final class SpecialNumbers {
    private static final double ROOT_PI = Math.sqrt(Math.PI);
    private static final int FRACTIONS = 100;
    private static final int TERMS = 200;
    private static final int LARGE = 30;

    /** Numbers B(2j) / (2j)! of the Euler-Maclaurin formula. */
    private static final double[] BERNOULLI = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160};

    private static final String ERFCX_TEXT = """
            real w = 0;
            if (z < 1) { w = exp(z * z) * (1 - erf(z)); }
            else {
                real f = z;
                for (int k = 100; k > 0; k--) f = z + (real) 0.5 * k / f;
                w = 1 / (f * (real) 1.7724538509055160273);
            }
            """;

    static final Formula DIGAMMA = new Formula("digamma", """
            real z = x0, r = 0;
            const real pi = 3.14159265358979323846;
            if (z < (real) 0.5) { r = -pi / tan(pi * z); z = 1 - z; }
            while (z < 10) { r -= 1 / z; z += 1; }
            real w = 1 / (z * z);
            real tail = (real) (1.0 / 252) - w * ((real) (1.0 / 240) - w * (real) (1.0 / 132));
            tail = (real) (1.0 / 12) - w * ((real) (1.0 / 120) - w * tail);
            y0 = r + log(z) - 1 / (2 * z) - w * tail;""", (x, s, y) -> y[0] = digamma(x[0]));

    /** Of the order that the number says, from 1. */
    static final Formula POLYGAMMA = new Formula("polygamma", """
            real q = s0 + 1, a = x0, sum = 0, fact = 1;
            for (int k = 2; k <= (int) s0; k++) fact *= k;
            for (int k = 0; k < 12; k++) { sum += pow(a, -q); a += 1; }
            sum += pow(a, 1 - q) / (q - 1) + (real) 0.5 * pow(a, -q);
            real b[5] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160};
            real rising = q;
            for (int j = 0; j < 5; j++) {
                sum += b[j] * rising * pow(a, -q - 2 * j - 1);
                rising *= (q + 2 * j + 1) * (q + 2 * j + 2);
            }
            y0 = ((int) s0 % 2 == 1 ? 1 : -1) * fact * sum;""", (x, s, y) -> y[0] = polygamma((int) s[0], x[0]));

    static final Formula LOG_GAMMA = Formula.unary("lgamma", "lgamma(x0)", SpecialNumbers::logGamma);

    static final Formula INVERSE_ERROR = new Formula("erfinv", """
            if (x0 >= 1 || x0 <= -1) { y0 = x0 == 1 ? INFINITY : x0 == -1 ? -INFINITY : NAN; }
            else {
                real w = -log((1 - x0) * (1 + x0)), a = (real) 0.147, t = 2 / ((real) 3.14159265358979323846 * a);
                real h = t - w / 2, z = copysign(sqrt(sqrt(h * h + w / a) - h), x0);
                for (int k = 0; k < 3; k++) z -= (erf(z) - x0) * (real) 0.88622692545275801365 * exp(z * z);
                y0 = z;
            }""", (x, s, y) -> y[0] = inverseError(x[0]));

    /** A modified Bessel function: numbers are its order, 0 or 1, and whether it is times exp(-|x|). */
    static final Formula BESSEL = new Formula("bessel_i", """
            real z = fabs(x0), sum = 1, term = 1;
            if (z < 30) {
                for (int k = 1; k < 200; k++) { term *= z * z / 4 / k / (k + s0); sum += term; }
                y0 = (s0 == 1 ? z / 2 : 1) * sum * (s1 != 0 ? exp(-z) : 1);
            } else {
                for (int k = 1; k < 12; k++) {
                    term *= -(4 * s0 - (2 * k - 1) * (2 * k - 1)) / (8 * z * k);
                    sum += term;
                }
                y0 = sum / sqrt(2 * (real) 3.14159265358979323846 * z) * (s1 != 0 ? 1 : exp(z));
            }
            if (s0 == 1 && x0 < 0) y0 = -y0;""", (x, s, y) -> y[0] = bessel(x[0], (int) s[0], s[1] != 0));

    /** Of order 0, by the same series. */
    static final Formula I0 = new Formula(
            "i0", "const real s0 = 0, s1 = 0;\n" + BESSEL.cuda(), (x, s, y) -> y[0] = bessel(x[0], 0, false));

    static final Formula SCALED_COMPLEMENT =
            new Formula("erfcx", "real z = x0;\n" + ERFCX_TEXT + "y0 = w;", (x, s, y) -> y[0] = scaledComplement(x[0]));

    static final Formula LOG_NORMAL =
            new Formula("log_ndtr", """
            const real half = 0.70710678118654752440;
            if (x0 < -1) {
                real z = -x0 * half;
            """ + ERFCX_TEXT + """
                y0 = log(w / 2) - x0 * x0 / 2;
            } else {
                y0 = log1p((erf(x0 * half) - 1) / 2);
            }""", (x, s, y) -> y[0] = logNormal(x[0]));

    static final Formula INVERSE_NORMAL = new Formula(
            "ndtri",
            "real x1 = 2 * x0 - 1;\n{ real x0 = x1;\n" + INVERSE_ERROR.cuda()
                    + "\n}\ny0 *= (real) 1.41421356237309504880;",
            (x, s, y) -> y[0] = Math.sqrt(2) * inverseError(2 * x[0] - 1));

    static final Formula ENTROPY = new Formula(
            "entr",
            "y0 = x0 > 0 ? -x0 * log(x0) : x0 == 0 ? 0 : x0 != x0 ? x0 : -INFINITY;",
            (x, s, y) -> y[0] = x[0] > 0
                    ? -x[0] * Math.log(x[0])
                    : x[0] == 0 ? 0 : Double.isNaN(x[0]) ? x[0] : Double.NEGATIVE_INFINITY);

    private SpecialNumbers() {}

    private static double digamma(double x) {
        double z = x;
        double r = 0;
        if (z < 0.5) {
            r = -Math.PI / Math.tan(Math.PI * z);
            z = 1 - z;
        }
        while (z < 10) {
            r -= 1 / z;
            z += 1;
        }
        double w = 1 / (z * z);
        double tail = 1.0 / 252 - w * (1.0 / 240 - w / 132);
        return r + Math.log(z) - 1 / (2 * z) - w * (1.0 / 12 - w * (1.0 / 120 - w * tail));
    }

    private static double polygamma(int order, double x) {
        double q = order + 1;
        double a = x;
        double sum = 0;
        double factorial = 1;
        for (int k = 2; k <= order; k++) {
            factorial *= k;
        }
        for (int k = 0; k < 12; k++) {
            sum += Math.pow(a, -q);
            a += 1;
        }
        sum += Math.pow(a, 1 - q) / (q - 1) + 0.5 * Math.pow(a, -q);
        double rising = q;
        for (int j = 0; j < BERNOULLI.length; j++) {
            sum += BERNOULLI[j] * rising * Math.pow(a, -q - 2 * j - 1);
            rising *= (q + 2 * j + 1) * (q + 2 * j + 2);
        }
        return (order % 2 == 1 ? 1 : -1) * factorial * sum;
    }

    /** Stirling's series behind a shift. */
    private static double logGamma(double x) {
        if (x < 0.5) {
            return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x);
        }
        double z = x;
        double shift = 0;
        while (z < 15) {
            shift += Math.log(z);
            z += 1;
        }
        double w = 1 / (z * z);
        double series = (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w / 1680))) / z;
        return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift;
    }

    private static double inverseError(double x) {
        if (Math.abs(x) >= 1) {
            return Math.abs(x) == 1 ? x * Double.POSITIVE_INFINITY : Double.NaN;
        }
        double w = -Math.log((1 - x) * (1 + x));
        double a = 0.147;
        double h = 2 / (Math.PI * a) - w / 2;
        double z = Math.copySign(Math.sqrt(Math.sqrt(h * h + w / a) - h), x);
        for (int k = 0; k < 3; k++) {
            z -= (ErrorFunction.erf(z) - x) * (ROOT_PI / 2) * Math.exp(z * z);
        }
        return z;
    }

    static double bessel(double x, int order, boolean scaled) {
        double z = Math.abs(x);
        double sum = 1;
        double term = 1;
        double value;
        if (z < LARGE) {
            for (int k = 1; k < TERMS; k++) {
                term *= z * z / 4 / k / (k + order);
                sum += term;
            }
            value = (order == 1 ? z / 2 : 1) * sum * (scaled ? Math.exp(-z) : 1);
        } else {
            for (int k = 1; k < 12; k++) {
                term *= -(4 * order - (2 * k - 1) * (2 * k - 1)) / (8 * z * k);
                sum += term;
            }
            value = sum / Math.sqrt(2 * Math.PI * z) * (scaled ? 1 : Math.exp(z));
        }
        return order == 1 && x < 0 ? -value : value;
    }

    private static double scaledComplement(double z) {
        if (z < 1) {
            return Math.exp(z * z) * (1 - ErrorFunction.erf(z));
        }
        double f = z;
        for (int k = FRACTIONS; k > 0; k--) {
            f = z + 0.5 * k / f;
        }
        return 1 / (f * ROOT_PI);
    }

    private static double logNormal(double x) {
        double half = Math.sqrt(0.5);
        return x < -1
                ? Math.log(scaledComplement(-x * half) / 2) - x * x / 2
                : Math.log1p((ErrorFunction.erf(x * half) - 1) / 2);
    }
}
