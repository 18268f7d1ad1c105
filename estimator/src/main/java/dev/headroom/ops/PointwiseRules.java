package dev.headroom.ops;

import dev.headroom.graph.DType;
import dev.headroom.shadow.Recording;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Saved;
import dev.headroom.shadow.Tensor;

/** Binary arithmetic, comparisons, logic and selection. */
final class PointwiseRules {
    private PointwiseRules() {}

    static void register(Registry r) {
        r.single("aten.add", c -> Pointwise.add(c.runtime(), self(c), other(c), scaled(c)));
        r.single("aten.add_", c -> Pointwise.addInPlace(c.runtime(), self(c), other(c), scaled(c)));
        r.single("aten.sub", c -> Pointwise.sub(c.runtime(), self(c), other(c)));
        r.single("aten.sub_", c -> Pointwise.addInPlace(c.runtime(), self(c), other(c), true));
        r.single("aten.rsub", c -> Pointwise.sub(c.runtime(), other(c), self(c)));
        r.single("aten.mul", c -> Pointwise.mul(c.runtime(), self(c), other(c)));
        r.single("aten.mul_", c -> Pointwise.mulInPlace(c.runtime(), self(c), other(c)));
        r.single("aten.div", c -> Pointwise.div(c.runtime(), self(c), other(c)));
        r.single("aten.div_", c -> Pointwise.divInPlace(c.runtime(), self(c), other(c)));
        r.alias("aten.true_divide", "aten.div");
        r.single("aten.pow.Tensor_Scalar", PointwiseRules::powScalar);
        for (String name :
                new String[] {"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"}) {
            r.single("aten." + name, c -> Strided.result(c.runtime(), DType.BOOL, self(c), other(c)));
        }
        r.single("aten.logical_not", c -> Strided.result(c.runtime(), DType.BOOL, self(c)));
        for (String name : new String[] {"isnan", "isinf", "isfinite"}) {
            r.single("aten." + name, c -> Strided.result(c.runtime(), DType.BOOL, self(c)));
        }
        for (String name : new String[] {"bitwise_and", "bitwise_or", "bitwise_xor", "__and__", "__or__", "__xor__"}) {
            r.single("aten." + name, c -> Pointwise.op(c.runtime(), self(c), other(c)));
        }
        r.single("aten.bitwise_not", c -> Pointwise.op(c.runtime(), self(c)));
        r.single("aten.remainder", c -> Pointwise.op(c.runtime(), self(c), other(c)));
        r.single("aten.floor_divide", c -> Pointwise.op(c.runtime(), self(c), other(c)));
        r.single("aten.where.self", c -> where(c, self(c), other(c)));
        r.single("aten.where.ScalarOther", PointwiseRules::whereNumber);
        r.single("aten.where.ScalarSelf", PointwiseRules::whereNumber);
        r.single("aten.where.Scalar", PointwiseRules::whereNumber);
        r.single("aten.masked_fill", c -> maskedFill(c, false));
        r.single("aten.masked_fill_", c -> maskedFill(c, true));
        r.single("aten.minimum", c -> extremum(c.runtime(), "MinimumBackward0", self(c), other(c)));
        r.single("aten.maximum", c -> extremum(c.runtime(), "MaximumBackward0", self(c), other(c)));
        r.alias("aten.min.other", "aten.minimum");
        r.alias("aten.max.other", "aten.maximum");
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

    /** {@code where(condition, grad, 0)}: the zero becomes a tensor on the device. */
    private static Tensor chosen(Runtime rt, Tensor condition, Tensor g) {
        Tensor zero = rt.empty(g.dtype());
        Tensor out = Strided.result(rt, g.dtype(), condition, g);
        rt.free(zero);
        return out;
    }

    /** {@code where} with numbers: they become tensors on the device (ATen/native/TensorCompare.cpp). */
    private static Tensor whereNumber(Call c) {
        Runtime rt = c.runtime();
        DType type = Strided.promote(self(c), other(c));
        Tensor a = self(c).isWrappedNumber() ? rt.empty(type) : self(c);
        Tensor b = other(c).isWrappedNumber() ? rt.empty(type) : other(c);
        Tensor out = where(c, a, b);
        rt.free(b);
        rt.free(a);
        return out;
    }

    private static Tensor where(Call c, Tensor a, Tensor b) {
        Runtime rt = c.runtime();
        Tensor condition = c.tensor("condition");
        Recording r = rt.record("WhereBackward0", a, b);
        Saved mask = r == null ? null : r.save(condition);
        Tensor out = Strided.result(rt, Strided.promote(a, b), condition, a, b);
        if (r != null) {
            r.gradient(1, g -> chosen(rt, mask.get(), g))
                    .gradient(0, g -> chosen(rt, mask.get(), g))
                    .output(out);
        }
        return out;
    }

    /** {@code masked_fill}: the gradient is a copy with the masked part zero. */
    private static Tensor maskedFill(Call c, boolean inPlace) {
        Runtime rt = c.runtime();
        Tensor t = self(c);
        Tensor m = c.tensor("mask");
        Recording r = rt.record("MaskedFillBackward0", t);
        Saved mask = r == null ? null : r.save(m);
        Tensor out = inPlace ? t : Strided.result(rt, t.dtype(), t, m);
        if (r != null) {
            r.gradient(0, g -> Strided.result(rt, g.dtype(), g, mask.get())).output(out);
        }
        return out;
    }

    /** {@code maximum}: {@code grad.masked_fill((self == other).logical_or_(...), 0)} with halves at ties. */
    private static Tensor extremum(Runtime rt, String node, Tensor a, Tensor b) {
        Recording r = rt.record(node, a, b);
        Saved self = r == null ? null : r.save(a);
        Saved other = r == null ? null : r.save(b);
        Tensor out = Strided.result(rt, a, b);
        if (r != null) {
            Recording.InputGradient gradient = g -> {
                Tensor tie = Strided.result(rt, DType.BOOL, self.get(), other.get());
                Tensor half = Pointwise.op(rt, g);
                Tensor chosen = Strided.result(rt, g.dtype(), tie, half, g);
                Tensor worse = Strided.result(rt, DType.BOOL, self.get(), other.get());
                Tensor result = Strided.result(rt, g.dtype(), chosen, worse);
                rt.free(worse);
                rt.free(chosen);
                rt.free(half);
                rt.free(tie);
                return result;
            };
            r.gradient(1, gradient).gradient(0, gradient).output(out);
        }
        return out;
    }
}
