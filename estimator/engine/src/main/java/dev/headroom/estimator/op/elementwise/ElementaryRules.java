package dev.headroom.estimator.op.elementwise;

import static dev.headroom.estimator.op.core.Unary.Keep.NOTHING;
import static dev.headroom.estimator.op.core.Unary.Keep.RESULT;
import static dev.headroom.estimator.op.core.Unary.Keep.SELF;

import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.RecordedFormulas;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.core.Unary.Gradient;
import dev.headroom.estimator.op.core.Unary.Keep;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Elementary and special functions of one tensor. Formulas are those of tools/autograd/derivatives.yaml, operands of a
 * binary operator evaluated from right to left, as GCC does.
 */
public final class ElementaryRules {
    private ElementaryRules() {}

    public static void register(Registry r) {
        function(r, "exp", "ExpBackward0", RESULT, Unary.FUSED);
        function(r, "exp2", "Exp2Backward0", RESULT, (f, g, y) -> f.op(f.op(g, y)));
        function(r, "expm1", "Expm1Backward0", RESULT, Unary.THROUGH_ONE);
        function(r, "log", "LogBackward0", SELF, Unary.FUSED);
        function(r, "log2", "Log2Backward0", SELF, Unary.THROUGH_ONE);
        function(r, "log10", "Log10Backward0", SELF, Unary.THROUGH_ONE);
        function(r, "log1p", "Log1PBackward0", SELF, Unary.THROUGH_ONE);
        function(r, "sin", "SinBackward0", SELF, Unary.THROUGH_ONE);
        function(r, "cos", "CosBackward0", SELF, (f, g, x) -> f.op(g, f.op(f.op(x))));
        function(r, "tan", "TanBackward0", RESULT, (f, g, y) -> f.op(g, f.op(f.op(y))));
        function(r, "sinh", "SinhBackward0", SELF, Unary.THROUGH_ONE);
        function(r, "cosh", "CoshBackward0", SELF, Unary.THROUGH_ONE);
        function(r, "tanh", "TanhBackward0", RESULT, Unary.FUSED);
        function(r, "asin", "AsinBackward0", SELF, (f, g, x) -> f.op(g, f.op(f.op(f.op(f.op(x), x)))));
        function(r, "acos", "AcosBackward0", SELF, (f, g, x) -> f.op(g, f.op(f.op(f.op(f.op(f.op(x), x))))));
        function(r, "atan", "AtanBackward0", SELF, (f, g, x) -> f.op(g, f.op(f.op(x, x))));
        function(r, "asinh", "AsinhBackward0", SELF, (f, g, x) -> f.op(g, f.op(f.op(f.op(x)))));
        function(r, "acosh", "AcoshBackward0", SELF, (f, g, x) -> f.op(g, f.op(f.op(f.op(x, x)))));
        function(r, "atanh", "AtanhBackward0", SELF, ElementaryFunctions::atanhBackward);
        function(r, "sqrt", "SqrtBackward0", RESULT, Unary.THROUGH_ONE);
        function(r, "rsqrt", "RsqrtBackward0", RESULT, (f, g, y) -> {
            Tensor cube = f.op(y);
            return f.op(f.op(g), cube);
        });
        function(r, "reciprocal", "ReciprocalBackward0", RESULT, (f, g, y) -> {
            Tensor square = f.op(y, y);
            return f.op(f.op(g), square);
        });
        function(r, "square", "PowBackward0", SELF, (f, g, x) -> f.op(g, f.op(f.op(x))));
        function(r, "erf", "ErfBackward0", SELF, (f, g, x) -> f.op(f.op(f.op(f.op(f.op(x)))), g));
        function(r, "erfc", "ErfcBackward0", SELF, (f, g, x) -> f.op(f.op(f.op(f.op(f.op(x)))), g));
        function(r, "erfinv", "ErfinvBackward0", SELF, (f, g, x) -> f.op(f.op(f.op(f.op(f.op(x)))), g));
        function(r, "lgamma", "LgammaBackward0", SELF, Unary.THROUGH_ONE);
        function(r, "digamma", "DigammaBackward0", SELF, Unary.THROUGH_ONE);
        function(r, "i0", "I0Backward0", SELF, Unary.THROUGH_ONE);
        function(r, "logit", "LogitBackward0", SELF, Unary.FUSED);
        function(r, "sigmoid", "SigmoidBackward0", RESULT, Unary.FUSED);
        // Lengths of complex numbers are real.
        Unary.register(r, "abs", "AbsBackward0", SELF, Unary.THROUGH_ONE, DType::ofParts);
        same(r, "neg", "NegBackward0", NOTHING, Unary.SCALED);
        same(r, "nan_to_num", "NanToNumBackward0", SELF, (f, g, x) -> f.op(g, ElementaryFunctions.isFinite(f, x)));
        function(r, "deg2rad", "Deg2RadBackward0", NOTHING, Unary.SCALED);
        function(r, "rad2deg", "Rad2DegBackward0", NOTHING, Unary.SCALED);
        same(r, "frac", "FracBackward0", NOTHING, Unary.SAME);
        for (String name : new String[] {"floor", "ceil", "round", "sign", "trunc", "fix"}) {
            same(
                    r,
                    name,
                    Character.toUpperCase(name.charAt(0)) + name.substring(1) + "Backward0",
                    NOTHING,
                    Unary.ZEROS);
        }
        same(r, "sgn", "SgnBackward0", SELF, (f, g, x) -> null);
        r.single("aten.positive", c -> c.tensor("self"));
        for (String name : new String[] {"logical_not", "isnan", "signbit", "isposinf", "isneginf"}) {
            r.single("aten." + name, c -> new Formula(c.runtime()).test(c.tensor("self")));
        }
        r.single("aten.isinf", c -> {
            Formula f = new Formula(c.runtime());
            return f.test(f.op(c.tensor("self")));
        });
        r.single("aten.isfinite", c -> ElementaryFunctions.isFinite(new Formula(c.runtime()), c.tensor("self")));
        r.single("aten.bitwise_not", c -> Pointwise.op(c.runtime(), c.tensor("self")));
        for (String name : new String[] {"zero_", "fill_"}) {
            r.single("aten." + name, c -> ElementaryFunctions.constant(c));
        }
    }

    /** Integers become floating-point numbers. */
    private static void function(Registry r, String name, String node, Keep keep, Gradient gradient) {
        Unary.Again again = RecordedFormulas.of(r, node);
        for (boolean inPlace : new boolean[] {false, true}) {
            r.single("aten." + name + (inPlace ? "_" : ""), c -> {
                Tensor x = c.tensor("self");
                return Unary.apply(
                        c.runtime(),
                        node,
                        x,
                        keep,
                        gradient,
                        inPlace,
                        inPlace ? x.dtype() : Strided.floating(x.dtype()),
                        again);
            });
        }
    }

    /** Integers stay integers. */
    private static void same(Registry r, String name, String node, Keep keep, Gradient gradient) {
        Unary.register(r, name, node, keep, gradient);
    }
}
