package dev.headroom.executor.op;

import dev.headroom.executor.kernel.Formula;

/** Elementary functions whose gradient takes one kernel (derivatives.yaml). */
final class FunctionOperators {
    private static final Activation EXP =
            new Activation("ExpBackward0", Formula.unary("exp", "exp(x0)", Math::exp), Elementwise.MULTIPLY, true);
    private static final Activation LOG = new Activation(
            "LogBackward0", Formula.unary("log", "log(x0)", Math::log), ArithmeticOperators.DIVIDE, false);

    private FunctionOperators() {}

    static void register(Operators o) {
        o.add1("aten.exp", (e, a) -> EXP.apply(e, a.tensor("self")));
        o.add1("aten.exp_", (e, a) -> EXP.applyInPlace(e, a.tensor("self")));
        o.add1("aten.log", (e, a) -> LOG.apply(e, a.tensor("self")));
        o.add1("aten.log_", (e, a) -> LOG.applyInPlace(e, a.tensor("self")));
        o.add1("aten.neg", (e, a) -> {
            var x = a.tensor("self");
            return e.record("NegBackward0", x)
                    .backward(g -> new dev.headroom.executor.tensor.Tensor[] {
                        Elementwise.unary(e, ArithmeticOperators.NEGATE, g[0])
                    })
                    .result(Elementwise.unary(e, ArithmeticOperators.NEGATE, x));
        });
    }
}
