package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.NoRule;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/** Binary arithmetic, comparisons, logic and selection. */
public final class PointwiseRules {
    private PointwiseRules() {}

    public static void register(Registry r) {
        r.single("aten.add", c -> Pointwise.add(c.runtime(), self(c), other(c), scaled(c)));
        r.single("aten.add_", c -> Pointwise.addInPlace(c.runtime(), self(c), other(c), scaled(c)));
        r.single("aten.sub", c -> Pointwise.sub(c.runtime(), self(c), other(c), scaled(c)));
        r.single("aten.sub_", c -> Pointwise.addInPlace(c.runtime(), self(c), other(c), true));
        r.single("aten.rsub", PointwiseRules::rsub);
        r.single("aten.mul", c -> Pointwise.mul(c.runtime(), self(c), other(c)));
        r.single("aten.mul_", c -> Pointwise.mulInPlace(c.runtime(), self(c), other(c)));
        r.single("aten.div", c -> Pointwise.div(c.runtime(), self(c), other(c)));
        r.single("aten.div_", c -> Pointwise.divInPlace(c.runtime(), self(c), other(c)));
        r.alias("aten.true_divide", "aten.div");
        r.alias("aten.divide", "aten.div");
        r.alias("aten.multiply", "aten.mul");
        r.alias("aten.subtract", "aten.sub");
        r.single("aten.pow.Tensor_Scalar", PointwiseRules::powScalar);
        for (String name :
                new String[] {"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"}) {
            r.single("aten." + name, c -> Strided.result(c.runtime(), DType.BOOL, self(c), other(c)));
        }
        for (String name : new String[] {"bitwise_and", "bitwise_or", "bitwise_xor", "__and__", "__or__", "__xor__"}) {
            r.single("aten." + name, c -> Pointwise.op(c.runtime(), self(c), other(c)));
        }
        r.single("aten.masked_fill", c -> maskedFill(c, false));
        r.single("aten.masked_fill_", c -> maskedFill(c, true));
        r.single("aten.pow_.Scalar", c -> Pointwise.powInPlace(c.runtime(), self(c), c.number("exponent", 1)));
    }

    private static Tensor self(Call c) {
        return c.tensor("self");
    }

    private static Tensor other(Call c) {
        return c.tensor("other");
    }

    private static boolean scaled(Call c) {
        return c.number("alpha", 1) != 1;
    }

    private static Tensor powScalar(Call c) {
        Tensor t = self(c);
        Tensor exponent = c.tensor("exponent");
        return Pointwise.pow(c.runtime(), t, c.number("exponent", 1), Strided.promote(t, exponent));
    }

    /** {@code other - self}: the gradient of {@code self} comes last. */
    private static Tensor rsub(Call c) {
        Tensor x = self(c);
        Tensor y = other(c);
        boolean scaled = scaled(c);
        Recorder r = c.runtime().record("RsubBackward0", x, y);
        Tensor out = Strided.result(c.runtime(), y, x);
        return r.gradient(1, g -> g)
                .gradient(0, g -> {
                    Tensor negative = Pointwise.neg(c.runtime(), g);
                    return scaled ? Pointwise.opFreeing(c.runtime(), negative) : negative;
                })
                .again()
                .output(out);
    }

    private static Tensor maskedFill(Call c, boolean inPlace) {
        if (c.isTensor("value") && c.tensor("value").requiresGrad()) {
            throw new NoRule("the gradient of a value that is filled in selects by the mask's values");
        }
        return Blending.maskedFill(c.runtime(), self(c), c.tensor("mask"), inPlace);
    }
}
