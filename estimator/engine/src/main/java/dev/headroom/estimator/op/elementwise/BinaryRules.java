package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.core.Binary;
import dev.headroom.estimator.op.core.Binary.Term;
import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Tensor;

/** Element-wise functions of two tensors beyond plain arithmetic (tools/autograd/derivatives.yaml). */
public final class BinaryRules {
    private static final Term SAME = new Term("", (f, g, s, o, y) -> g);

    private BinaryRules() {}

    public static void register(Registry r) {
        Term quotient = new Term("so", (f, g, s, o, y) -> {
            Tensor q = f.op(s, o);
            return f.op(f.op(g), q);
        });
        both(r, "fmod", new Binary("FmodBackward", SAME, quotient));
        both(r, "remainder", new Binary("RemainderBackward", SAME, quotient));
        r.single("aten.atan2", BinaryFunctions::atan2);
        r.alias("aten.arctan2", "aten.atan2");
        floating(
                r,
                "hypot",
                new Binary(
                        "HypotBackward0",
                        new Term("sr", (f, g, s, o, y) -> f.op(f.op(g, s), y)),
                        new Term("or", (f, g, s, o, y) -> f.op(f.op(g, o), y))));
        Term ratio = new Term("so", (f, g, s, o, y) -> f.op(g, f.op(f.op(f.op(s, o)))));
        floating(r, "logaddexp", new Binary("LogaddexpBackward0", ratio, ratio));
        Term ratio2 = new Term("so", (f, g, s, o, y) -> f.op(g, f.op(BinaryFunctions.powScalar(f, f.op(s, o)))));
        floating(r, "logaddexp2", new Binary("Logaddexp2Backward0", ratio2, ratio2));
        floating(
                r,
                "xlogy",
                new Binary(
                        "XlogyBackward0",
                        new Term("so", (f, g, s, o, y) -> {
                            Tensor value = f.op(g, o);
                            Tensor low = f.test(o);
                            return f.maskedFill(value, f.op(f.test(s), low));
                        }),
                        new Term("so", (f, g, s, o, y) -> f.op(f.op(g, s), o))));
        r.single("aten.ldexp.Tensor", c -> BinaryFunctions.ldexp(c, false));
        r.single("aten.ldexp_", c -> BinaryFunctions.ldexp(c, true));
        r.single("aten.copysign", BinaryFunctions::copysign);
        extremum(r, "maximum", "MaximumBackward0");
        extremum(r, "minimum", "MinimumBackward0");
        extremum(r, "fmax", "FmaxBackward0");
        extremum(r, "fmin", "FminBackward0");
        r.alias("aten.min.other", "aten.minimum");
        r.alias("aten.max.other", "aten.maximum");
        Binary rounded = new Binary(
                "DivBackward2",
                new Term("o", (f, g, x, o, y) -> f.zerosLike(g)),
                new Term("so", (f, g, x, o, y) -> f.zerosLike(g)));
        for (String overload : new String[] {"Tensor_mode", "Scalar_mode"}) {
            both(r, "div." + overload, rounded);
            r.single(
                    "aten.div_." + overload,
                    c -> rounded.apply(
                            c.runtime(),
                            c.tensor("self"),
                            c.tensor("other"),
                            c.tensor("self").dtype(),
                            true));
        }
        InPlaceTruths.register(r);
        r.single("aten.nextafter", c -> BinaryFunctions.nextAfter(c, false));
        r.single("aten.nextafter_", c -> BinaryFunctions.nextAfter(c, true));
        both(r, "floor_divide", new Binary("FloorDivideBackward", Binary.NONE, Binary.NONE));
        for (String name : new String[] {
            "bitwise_left_shift", "bitwise_right_shift", "__lshift__", "__rshift__", "gcd", "lcm", "heaviside"
        }) {
            r.single("aten." + name, c -> Pointwise.op(c.runtime(), c.tensor("self"), c.tensor("other", "values")));
        }
    }

    /** The operator and, where the name has no overload, its in-place form. */
    private static void both(Registry r, String name, Binary rule) {
        r.single("aten." + name, c -> {
            Tensor a = c.tensor("self");
            Tensor b = c.tensor("other");
            return rule.apply(c.runtime(), a, b, Strided.promote(a, b), false);
        });
        if (name.indexOf('.') < 0) {
            r.single(
                    "aten." + name + "_",
                    c -> rule.apply(
                            c.runtime(),
                            c.tensor("self"),
                            c.tensor("other"),
                            c.tensor("self").dtype(),
                            true));
        }
    }

    private static void floating(Registry r, String name, Binary rule) {
        r.single("aten." + name, c -> {
            Tensor a = c.tensor("self");
            Tensor b = c.tensor("other");
            return rule.apply(c.runtime(), a, b, Strided.floating(Strided.promote(a, b)), false);
        });
    }

    /**
     * {@code masked_fill_inplace_if_safe(where(self == other, grad / 2, grad), self < other, 0)}, and what it was
     * {@link dev.headroom.model.scenario.TorchVersion#splitsTies before}.
     */
    private static void extremum(Registry r, String name, String node) {
        Term term = new Term("so", (f, g, s, o, y) -> {
            f.test(s, o);
            Tensor half = f.op(g);
            return f.where(f.test(s, o), half, g);
        });
        Binary rule = new Binary(node, term, term);
        Term former = name.startsWith("f") ? numberRatherThanNan() : halfFirst();
        Binary before = new Binary(node, former, former);
        r.single("aten." + name, c -> {
            Tensor a = c.tensor("self");
            Tensor b = c.tensor("other");
            Binary which = c.runtime().options().torch().splitsTies() ? rule : before;
            return which.apply(c.runtime(), a, b, Strided.promote(a, b), false);
        });
    }

    /** {@code where(self == other, grad / 2, grad).masked_fill_(self < other, 0)}. */
    private static Term halfFirst() {
        return new Term("so", (f, g, s, o, y) -> {
            Tensor half = f.op(g);
            Tensor out = f.where(f.test(s, o), half, g);
            f.test(s, o);
            return out;
        });
    }

    /** {@code grad.masked_fill((self >= other).logical_or_(other.isnan()), 0)}. */
    private static Term numberRatherThanNan() {
        return new Term("so", (f, g, s, o, y) -> {
            Tensor mask = f.test(s, o);
            f.test(o);
            return f.maskedFill(g, mask);
        });
    }
}
