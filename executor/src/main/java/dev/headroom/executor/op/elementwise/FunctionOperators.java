package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.autograd.SavedTensor;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Scaling;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;

/** Elementary functions (derivatives.yaml). */
public final class FunctionOperators {
    private static final Activation EXP = new Activation("ExpBackward0", Formulas.EXP, Elementwise.MULTIPLY, true);
    private static final Activation LOG =
            new Activation("LogBackward0", Formulas.LOG, ArithmeticOperators.DIVIDE, false);

    private static final Formula SQRT = Formula.unary("sqrt", "sqrt(x0)", Math::sqrt);
    private static final Formula RECIPROCAL = Formula.unary("reciprocal", "1 / x0", x -> 1 / x);

    private FunctionOperators() {}

    public static void register(Operators o) {
        o.add1("aten.exp", (e, a) -> EXP.apply(e, a.tensor("self")));
        o.add1("aten.exp_", (e, a) -> EXP.applyInPlace(e, a.tensor("self")));
        o.add1("aten.log", (e, a) -> LOG.apply(e, a.tensor("self")));
        o.add1("aten.log_", (e, a) -> LOG.applyInPlace(e, a.tensor("self")));
        roots(o);
        o.add1("aten.neg", (e, a) -> {
            var x = a.tensor("self");
            return e.record("NegBackward0", x)
                    .backward(g -> new Tensor[] {Elementwise.unary(e, Formulas.NEGATE, g[0])})
                    .output(Elementwise.unary(e, Formulas.NEGATE, x));
        });
    }

    private static void roots(Operators o) {
        o.add1("aten.sqrt", (e, a) -> sqrt(e, a.tensor("self"), false));
        o.add1("aten.sqrt_", (e, a) -> sqrt(e, a.tensor("self"), true));
        o.add1("aten.reciprocal", (e, a) -> {
            Tensor x = a.tensor("self");
            Recorder r = e.record("ReciprocalBackward0", x);
            Tensor out = Elementwise.unary(e, RECIPROCAL, x);
            SavedTensor result = r.saveOutput(out);
            return r.backward(g -> new Tensor[] {
                        e.call(() -> {
                            Tensor square = Elementwise.binary(e, Elementwise.MULTIPLY, result.get(), result.get());
                            Tensor negative = Elementwise.unary(e, Formulas.NEGATE, square);
                            return Elementwise.binary(e, Elementwise.MULTIPLY, g[0], negative);
                        })
                    })
                    .output(out);
        });
    }

    /** {@code sqrt}: its gradient is g / (2 result). */
    private static Tensor sqrt(Eager e, Tensor x, boolean inPlace) {
        Recorder r = e.record("SqrtBackward0", x);
        Tensor out = x;
        if (inPlace) {
            Elementwise.into(e, SQRT, x, x);
            r.changed(x);
        } else {
            out = r.output(Elementwise.unary(e, SQRT, x));
        }
        SavedTensor result = r.saveOutput(out);
        r.backward(g -> new Tensor[] {
            e.call(() -> {
                Tensor twice = Scaling.times(e, result.get(), 2);
                return Elementwise.binary(e, ArithmeticOperators.DIVIDE, g[0], twice);
            })
        });
        return out;
    }
}
