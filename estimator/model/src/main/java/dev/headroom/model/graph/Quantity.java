package dev.headroom.model.graph;

import dev.headroom.model.error.UserInputException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** A number inside an expression: exact (a fraction) as long as the expression is, else a double. */
sealed interface Quantity {
    /** Wider numbers cannot come out as a size: stop before they eat the heap. */
    int WIDEST_BITS = 512;

    Quantity ZERO = of(0);
    Quantity ONE = of(1);

    record Exact(BigInteger numerator, BigInteger denominator) implements Quantity {}

    record Real(double value) implements Quantity {}

    static Quantity of(long value) {
        return new Exact(BigInteger.valueOf(value), BigInteger.ONE);
    }

    static Quantity of(boolean value) {
        return value ? ONE : ZERO;
    }

    static Quantity ratio(BigInteger numerator, BigInteger denominator) {
        if (denominator.signum() == 0) {
            throw new UserInputException("division by zero");
        }
        BigInteger divisor = numerator.gcd(denominator);
        if (denominator.signum() < 0) {
            divisor = divisor.negate();
        }
        BigInteger top = numerator.divide(divisor);
        BigInteger bottom = denominator.divide(divisor);
        if (top.bitLength() > WIDEST_BITS || bottom.bitLength() > WIDEST_BITS) {
            throw new UserInputException("a value that does not fit 64 bits");
        }
        return new Exact(top, bottom);
    }

    default double real() {
        if (this instanceof Exact exact) {
            return exact.numerator.doubleValue() / exact.denominator.doubleValue();
        }
        return ((Real) this).value;
    }

    default boolean isExact() {
        return this instanceof Exact;
    }

    default boolean isTrue() {
        return compare(ZERO) != 0;
    }

    default Quantity plus(Quantity other) {
        if (this instanceof Exact a && other instanceof Exact b) {
            return ratio(
                    a.numerator.multiply(b.denominator).add(b.numerator.multiply(a.denominator)),
                    a.denominator.multiply(b.denominator));
        }
        return new Real(real() + other.real());
    }

    default Quantity times(Quantity other) {
        if (this instanceof Exact a && other instanceof Exact b) {
            return ratio(a.numerator.multiply(b.numerator), a.denominator.multiply(b.denominator));
        }
        return new Real(real() * other.real());
    }

    default Quantity over(Quantity other) {
        if (this instanceof Exact a && other instanceof Exact b) {
            return ratio(a.numerator.multiply(b.denominator), a.denominator.multiply(b.numerator));
        }
        return new Real(real() / other.real());
    }

    default Quantity negated() {
        return of(-1).times(this);
    }

    default Quantity power(Quantity exponent) {
        if (this instanceof Exact base && exponent instanceof Exact e && e.denominator.equals(BigInteger.ONE)) {
            BigInteger size = e.numerator.abs();
            boolean trivial = base.numerator.bitLength() <= 1 && base.denominator.equals(BigInteger.ONE);
            if (!trivial && size.bitLength() > 9) {
                throw new UserInputException("a value that does not fit 64 bits");
            }
            int n = trivial ? (size.signum() == 0 ? 0 : size.testBit(0) ? 1 : 2) : size.intValueExact();
            Quantity raised = ratio(base.numerator.pow(n), base.denominator.pow(n));
            return e.numerator.signum() < 0 ? ONE.over(raised) : raised;
        }
        return new Real(Math.pow(real(), exponent.real()));
    }

    default int compare(Quantity other) {
        if (this instanceof Exact a && other instanceof Exact b) {
            return a.numerator.multiply(b.denominator).compareTo(b.numerator.multiply(a.denominator));
        }
        return Double.compare(real(), other.real());
    }

    /** The neighbouring integer that the mode says; infinities stay. */
    default Quantity rounded(RoundingMode mode) {
        if (this instanceof Exact exact) {
            if (exact.denominator.equals(BigInteger.ONE)) {
                return this;
            }
            return new Exact(
                    new BigDecimal(exact.numerator)
                            .divide(new BigDecimal(exact.denominator), 0, mode)
                            .toBigInteger(),
                    BigInteger.ONE);
        }
        double value = real();
        if (Double.isInfinite(value)) {
            return this;
        }
        if (Double.isNaN(value)) {
            throw new UserInputException("a value that is not a number");
        }
        return new Exact(new BigDecimal(value).setScale(0, mode).toBigInteger(), BigInteger.ONE);
    }

    /** The remainder with the divisor's sign, as Python's {@code %}. */
    default Quantity modulo(Quantity divisor) {
        Quantity quotient = over(divisor).rounded(RoundingMode.FLOOR);
        return plus(quotient.times(divisor).negated());
    }

    /** @throws UserInputException if the number is no integer of 64 bits */
    default long asLong() {
        Quantity whole = this;
        if (this instanceof Real real && real.value == Math.rint(real.value) && !Double.isInfinite(real.value)) {
            whole = rounded(RoundingMode.UNNECESSARY);
        }
        if (!(whole instanceof Exact exact) || !exact.denominator.equals(BigInteger.ONE)) {
            throw new UserInputException("a value that is no whole number");
        }
        if (exact.numerator.bitLength() > 63) {
            throw new UserInputException("a value that does not fit 64 bits");
        }
        return exact.numerator.longValue();
    }
}
