package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.basic.Slices;
import dev.headroom.executor.op.elementwise.ComparisonOperators;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operator;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleBinaryOperator;

/** Functions of two operands that models rarely have (aten/src/ATen/native/BinaryOps.cpp; derivatives.yaml). */
public final class FurtherFunctions {
    private static final double[] NONE = {};

    private static final Formula COPYSIGN = Formula.binary("copysign", "copysign(x0, x1)", Math::copySign);
    private static final Formula POWER_OF_TWO = Formula.unary("power_of_two", "pow((real) 2, x0)", x -> Math.pow(2, x));
    private static final Formula LDEXP =
            Formula.binary("ldexp", "x0 * pow((real) 2, x1)", (a, b) -> a * Math.pow(2, b));
    private static final Formula LOG_ADD = Formula.binary(
            "logaddexp2",
            "(x0 > x1 ? x0 : x1) + log2(1 + pow((real) 2, -fabs(x0 - x1)))",
            (a, b) -> Math.max(a, b) + Math.log1p(Math.pow(2, -Math.abs(a - b))) / Math.log(2));

    private FurtherFunctions() {}

    public static void register(Operators o) {
        whole(
                o,
                "gcd",
                "while (b != 0) { long long c = a % b; a = b; b = c; } y0 = a < 0 ? -a : a;",
                (a, b) -> divisor((long) a, (long) b));
        whole(
                o,
                "lcm",
                "long long p = a * b; while (b != 0) { long long c = a % b; a = b; b = c; }"
                        + " p = a == 0 ? 0 : p / a; y0 = p < 0 ? -p : p;",
                (a, b) -> a == 0 || b == 0 ? 0 : Math.abs(((long) a) * ((long) b)) / divisor((long) a, (long) b));
        shifts(o, "__lshift__", "bitwise_left_shift");
        shifts(o, "__rshift__", "bitwise_right_shift");
        o.add1("aten.copysign", FurtherFunctions::copysign);
        o.add1("aten.ldexp", (e, a) -> ldexp(e, a, false));
        o.add1("aten.ldexp_", (e, a) -> ldexp(e, a, true));
        o.add1("aten.logaddexp2", FurtherFunctions::logAddExp2);
        o.add1("aten.float_power", (e, a) -> floatPower(o, e, a));
        o.add1("aten.float_power_", (e, a) -> floatPowerInPlace(o, e, a));
    }

    private static long divisor(long a, long b) {
        return b == 0 ? Math.abs(a) : divisor(b, a % b);
    }

    /** Of whole numbers, which have no gradient. */
    private static void whole(Operators o, String name, String cuda, DoubleBinaryOperator host) {
        Formula formula = new Formula(
                name,
                "long long a = (long long) x0, b = (long long) x1; " + cuda,
                (x, s, y) -> y[0] = host.applyAsDouble(x[0], x[1]));
        o.add1("aten." + name, (e, a) -> new Steps(e).of(formula, a.tensor("self"), a.tensor("other")));
        ComparisonOperators.inPlace(o, name, formula, "other");
    }

    private static void shifts(Operators o, String name, String same) {
        o.add("aten." + name, (e, a) -> Objects.requireNonNull(o.find("aten." + same))
                .run(e, a.calling("aten." + same)));
    }

    private static Tensor copysign(Eager e, Arguments a) {
        Tensor x = ComparisonOperators.operand(a, "self");
        Tensor y = ComparisonOperators.operand(a, "other");
        Recorder r = e.record("CopysignBackward0", x, y);
        SavedTensor savedX = r.saveIf(r.needs(0), x);
        Tensor out = Elementwise.map(e, COPYSIGN, Promotion.floating(Promotion.common(x, y)), NONE, x, y);
        SavedTensor result = r.saveOutput(r.needs(0) ? out : null);
        long[] sizes = y.sizes();
        return r.backward(g -> {
                    Tensor ofY = r.needs(1) ? Slices.zeros(e, g[0], sizes) : null;
                    Tensor ofX = !r.needs(0)
                            ? null
                            : e.call(() -> {
                                Steps s = new Steps(e);
                                Tensor ratio = s.over(result.get(), savedX.get());
                                Tensor zero = s.truth(Formulas.EQUALS_ZERO, savedX.get());
                                Elementwise.into(e, Formulas.CLEARED, ratio, ratio, zero);
                                e.free(zero);
                                return s.times(g[0], ratio);
                            });
                    return new Tensor[] {ofX, ofY};
                })
                .output(out);
    }

    /** {@code pow(2, t)}: the base becomes a number of 64 bits on the device. */
    private static Tensor powerOfTwo(Eager e, Tensor t) {
        return e.call(() -> {
            Tensor out = Elementwise.map(e, POWER_OF_TWO, Promotion.floating(t.dtype()), NONE, t);
            e.empty(DType.FLOAT64);
            return out;
        });
    }

    private static Tensor ldexp(Eager e, Arguments a, boolean inPlace) {
        Tensor x = a.tensor("self");
        Tensor y = a.tensor("other");
        Recorder r = e.record("LdexpBackward0", x, y);
        SavedTensor second = r.saveIf(r.needs(0), y);
        Tensor out = x;
        if (inPlace) {
            scale(e, x, y);
            r.changed(x);
        } else {
            out = y.dtype().isFloatingPoint()
                    ? e.call(() -> new Steps(e).times(x, powerOfTwo(e, y)))
                    : Elementwise.map(e, LDEXP, Promotion.floating(x.dtype()), NONE, x, y);
        }
        SavedTensor result = r.saveOutput(r.needs(1) ? out : null);
        r.backward(g -> {
            Steps s = new Steps(e);
            Tensor ofY = !r.needs(1) ? null : e.call(() -> s.times(s.times(g[0], result.get()), Math.log(2)));
            Tensor ofX = !r.needs(0) ? null : e.call(() -> s.times(g[0], powerOfTwo(e, second.get())));
            return new Tensor[] {ofX, ofY};
        });
        return inPlace ? out : r.output(out);
    }

    private static void scale(Eager e, Tensor x, Tensor y) {
        if (!y.dtype().isFloatingPoint()) {
            Elementwise.into(e, LDEXP, x, x, y);
            return;
        }
        try (Scope s = e.open()) {
            Elementwise.into(e, Elementwise.MULTIPLY, x, x, powerOfTwo(e, y));
        }
    }

    private static Tensor logAddExp2(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        Tensor y = a.tensor("other");
        Recorder r = e.record("Logaddexp2Backward0", x, y);
        SavedTensor first = r.save(x);
        SavedTensor second = r.save(y);
        Tensor out = Elementwise.map(e, LOG_ADD, Promotion.floating(Promotion.common(x, y)), NONE, x, y);
        return r.backward(g -> {
                    Tensor ofY = r.needs(1) ? share(e, g[0], second.get(), first.get()) : null;
                    Tensor ofX = r.needs(0) ? share(e, g[0], first.get(), second.get()) : null;
                    return new Tensor[] {ofX, ofY};
                })
                .output(out);
    }

    /** {@code grad / (1 + pow(2, other - self))}. */
    private static Tensor share(Eager e, Tensor g, Tensor x, Tensor y) {
        return e.call(() -> {
            Steps s = new Steps(e);
            return s.over(g, s.plus(powerOfTwo(e, s.minus(y, x)), 1));
        });
    }

    /** An exponent that is a tensor is converted first. */
    private static Tensor floatPowerInPlace(Operators o, Eager e, Arguments a) {
        Operator power = Objects.requireNonNull(o.find("aten.pow_"));
        Arguments same = a.calling("aten.pow_");
        if (!a.isTensor("exponent")) {
            return power.run(e, same)[0];
        }
        return e.call(() -> {
            Tensor exponent =
                    Copies.to(e, a.tensor("exponent"), a.tensor("self").dtype());
            return power.run(e, same.replacing(Map.of("exponent", new Tensor[] {exponent})))[0];
        });
    }

    /** In 64 bits: operands are converted first. */
    private static Tensor floatPower(Operators o, Eager e, Arguments a) {
        Tensor x = a.isTensor("self") ? a.tensor("self") : null;
        Tensor y = a.isTensor("exponent") ? a.tensor("exponent") : null;
        return e.call(() -> {
            Tensor exponent = y == null ? null : Copies.to(e, y, DType.FLOAT64);
            Tensor base = x == null ? null : Copies.to(e, x, DType.FLOAT64);
            Map<String, Tensor[]> wide = new HashMap<>();
            if (base != null) {
                wide.put("self", new Tensor[] {base});
            }
            if (exponent != null) {
                wide.put("exponent", new Tensor[] {exponent});
            }
            Operator power = Objects.requireNonNull(o.find("aten.pow"));
            return power.run(e, a.calling("aten.pow").replacing(wide))[0];
        });
    }
}
