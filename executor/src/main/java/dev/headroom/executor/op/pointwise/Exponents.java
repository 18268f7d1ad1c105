package dev.headroom.executor.op.pointwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/** {@code frexp}: numbers as a part from a half to one, and a power of two (aten/src/ATen/native/UnaryOps.cpp). */
public final class Exponents {
    private static final Formula MANTISSA = new Formula(
            "mantissa", "int k; y0 = frexp(x0, &k);", (x, s, y) -> y[0] = x[0] / Math.scalb(1.0, exponent(x[0])));
    private static final Formula EXPONENT =
            new Formula("exponent", "int k; frexp(x0, &k); y0 = k;", (x, s, y) -> y[0] = exponent(x[0]));
    private static final Formula POWER = Formula.unary("power_of_two", "exp2(x0)", x -> Math.pow(2, x));
    private static final Formula QUOTIENT = Formula.binary("over_power", "x0 / x1", (a, b) -> a / b);

    private Exponents() {}

    public static void register(Operators o) {
        o.add("aten.frexp", Exponents::split);
    }

    private static int exponent(double x) {
        return x == 0 || Double.isNaN(x) || Double.isInfinite(x) ? 0 : Math.getExponent(x) + 1;
    }

    /** The gradient is divided by the power, in single precision at least. */
    private static Tensor[] split(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        Recorder r = e.record("FrexpBackward0", x);
        Tensor mantissa = e.emptyLike(x);
        Tensor exponent = e.emptyLike(x, DType.INT32);
        Elementwise.into(e, MANTISSA, mantissa, x);
        Elementwise.into(e, EXPONENT, exponent, x);
        SavedTensor kept = r.saveOutput(exponent);
        r.backward(g -> new Tensor[] {
            e.call(() -> {
                Tensor power = Elementwise.map(e, POWER, DType.FLOAT32, new double[0], kept.get());
                return Elementwise.binary(e, QUOTIENT, g[0], power);
            })
        });
        return new Tensor[] {r.output(mantissa), exponent};
    }
}
