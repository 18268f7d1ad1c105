package dev.headroom.model.onnx.op;

import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Operators that compute each element by itself. */
final class Elementwise {
    private Elementwise() {}

    static void add(Map<String, Mapping> table) {
        for (String same : List.of(
                "Abs",
                "Acos",
                "Acosh",
                "Asin",
                "Asinh",
                "Atan",
                "Atanh",
                "Ceil",
                "Cos",
                "Cosh",
                "Erf",
                "Exp",
                "Floor",
                "Log",
                "Mish",
                "Neg",
                "Reciprocal",
                "Relu",
                "Round",
                "Selu",
                "Sigmoid",
                "Sign",
                "Sin",
                "Sinh",
                "Sqrt",
                "Tan",
                "Tanh",
                "Softplus")) {
            table.put(same, unary("aten." + same.toLowerCase(Locale.ROOT) + ".default"));
        }
        table.put("HardSwish", unary("aten.hardswish.default"));
        table.put("HardSigmoid", unary("aten.hardsigmoid.default"));
        table.put("Swish", unary("aten.silu.default"));
        table.put("BitwiseNot", unary("aten.bitwise_not.default"));
        table.put("Gelu", c -> one(c, "aten.gelu.default", "approximate", c.text("approximate", "none")));
        table.put("LeakyRelu", c -> one(c, "aten.leaky_relu.default", "negative_slope", c.real("alpha", 0.01)));
        table.put("Elu", c -> one(c, "aten.elu.default", "alpha", c.real("alpha", 1)));
        table.put("Celu", c -> one(c, "aten.celu.default", "alpha", c.real("alpha", 1)));
        table.put("Not", c -> test(c, "aten.logical_not.default"));
        table.put("IsNaN", c -> test(c, "aten.isnan.default"));
        table.put("IsInf", c -> test(c, "aten.isinf.default"));
        table.put("PRelu", c -> one(c, "aten.prelu.default", "weight", c.tensor(1)));
        table.put("Clip", Elementwise::clip);
        table.put("Add", c -> binary(c, "aten.add.Tensor", "aten.add.Tensor", false));
        table.put("Mul", c -> binary(c, "aten.mul.Tensor", "aten.mul.Tensor", false));
        table.put("Sub", c -> binary(c, "aten.sub.Tensor", "aten.rsub.Scalar", false));
        table.put("Div", Elementwise::divide);
        table.put("Pow", Elementwise::power);
        table.put("Mod", c -> binary(c, c.number("fmod", 0) == 1 ? "aten.fmod" : "aten.remainder"));
        table.put("Equal", c -> binary(c, "aten.eq", "aten.eq", true));
        table.put("Greater", c -> binary(c, "aten.gt", "aten.lt", true));
        table.put("GreaterOrEqual", c -> binary(c, "aten.ge", "aten.le", true));
        table.put("Less", c -> binary(c, "aten.lt", "aten.gt", true));
        table.put("LessOrEqual", c -> binary(c, "aten.le", "aten.ge", true));
        table.put("And", c -> binary(c, "aten.logical_and.default", null, true));
        table.put("Or", c -> binary(c, "aten.logical_or.default", null, true));
        table.put("Xor", c -> binary(c, "aten.logical_xor.default", null, true));
        table.put("BitwiseAnd", c -> binary(c, "aten.bitwise_and"));
        table.put("BitwiseOr", c -> binary(c, "aten.bitwise_or"));
        table.put("Max", c -> fold(c, "aten.maximum.default"));
        table.put("Min", c -> fold(c, "aten.minimum.default"));
        table.put("Sum", c -> fold(c, "aten.add.Tensor"));
        table.put("Where", Elementwise::where);
        table.put("Cast", c -> convert(c, ElementTypes.of((int) c.number("to", 1), c.output(0))));
        table.put("CastLike", c -> convert(c, c.dtype(1)));
    }

    private static Mapping unary(String target) {
        return c -> one(c, target);
    }

    private static void one(Call c, String target, @Nullable Object... further) {
        List<@Nullable Object> pairs = new ArrayList<>(List.of("self", c.tensor(0)));
        pairs.addAll(Arrays.asList(further));
        c.write(target, c.dtype(0), c.sizes(0), pairs.toArray());
    }

    private static void test(Call c, String target) {
        c.write(target, DType.BOOL, c.sizes(0), "self", c.tensor(0));
    }

    /** Bounds are attributes before version 11. */
    private static void clip(Call c) {
        Object min = c.attribute("min") != null ? (Object) c.real("min", 0) : bound(c, 1);
        Object max = c.attribute("max") != null ? (Object) c.real("max", 0) : bound(c, 2);
        if (min == null && max == null) {
            c.same(0);
        } else if (min instanceof Value || max instanceof Value) {
            one(c, "aten.clamp.Tensor", "min", c.optional(1), "max", c.optional(2));
        } else {
            one(c, "aten.clamp.default", "min", min, "max", max);
        }
    }

    private static @Nullable Object bound(Call c, int input) {
        if (!c.has(input)) {
            return null;
        }
        Content number = c.number(input);
        return number == null ? c.tensor(input) : number.number();
    }

    static @Nullable List<SymExpr> broadcast(Call c) {
        List<SymExpr> out = List.of();
        for (int i = 0; i < c.inputs(); i++) {
            List<SymExpr> next = c.sizes(i);
            if (next == null) {
                return null;
            }
            out = Dims.broadcast(out, next);
        }
        return out;
    }

    /** An operator with the overloads {@code .Tensor} and {@code .Scalar}, of which the second is the number. */
    private static void binary(Call c, String operator) {
        Content number = c.number(1);
        c.write(
                operator + (number == null ? ".Tensor" : ".Scalar"),
                c.dtype(0),
                broadcast(c),
                "self",
                c.tensor(0),
                "other",
                number == null ? c.tensor(1) : number.number());
    }

    /**
     * An operator of two tensors, or of one and a number, as {@code x + 1} is written.
     *
     * @param swapped what it is where the first is the number; {@code null}: then that becomes a tensor
     * @param test whether it gives booleans; then the names are without overload
     */
    private static void binary(Call c, String target, @Nullable String swapped, boolean test) {
        Content first = swapped == null ? null : c.number(0);
        Content second = c.number(1);
        boolean turned = first != null && second == null;
        Object other;
        if (first != null && second == null) {
            other = first.number();
        } else {
            other = second == null || swapped == null ? c.tensor(1) : second.number();
        }
        String name = turned && swapped != null ? swapped : target;
        String overload = !test || swapped == null ? "" : other instanceof Value ? ".Tensor" : ".Scalar";
        DType type = test ? DType.BOOL : c.dtype(turned ? 1 : 0);
        c.write(name + overload, type, broadcast(c), "self", c.tensor(turned ? 1 : 0), "other", other);
    }

    /** {@code 1 / x} is {@code x.reciprocal() * 1} (torch/_tensor.py, __rdiv__); integers lose the rest. */
    private static void divide(Call c) {
        Content first = c.number(0);
        if (!c.dtype(0).isFloatingPoint()) {
            c.write(
                    "aten.div.Tensor_mode",
                    c.dtype(0),
                    broadcast(c),
                    "self",
                    c.tensor(0),
                    "other",
                    c.tensor(1),
                    "rounding_mode",
                    "trunc");
        } else if (first != null && c.number(1) == null) {
            Value reciprocal = c.step("aten.reciprocal.default", "self", c.tensor(1));
            c.write("aten.mul.Tensor", c.dtype(1), broadcast(c), "self", reciprocal, "other", first.number());
        } else {
            Content number = c.number(1);
            Object by = number == null ? c.tensor(1) : number.number();
            c.write("aten.div.Tensor", c.dtype(0), broadcast(c), "self", c.tensor(0), "other", by);
        }
    }

    private static void power(Call c) {
        Content base = c.number(0);
        Content exponent = c.number(1);
        String overload = exponent != null ? "Tensor_Scalar" : base != null ? "Scalar" : "Tensor_Tensor";
        Object self = exponent == null && base != null ? base.number() : c.tensor(0);
        Object power = exponent == null ? c.tensor(1) : exponent.number();
        c.write("aten.pow." + overload, c.dtype(0), broadcast(c), "self", self, "exponent", power);
    }

    private static void fold(Call c, String target) {
        if (c.inputs() == 1) {
            c.same(0);
            return;
        }
        Value out = c.tensor(0);
        for (int i = 1; i < c.inputs() - 1; i++) {
            out = c.step(target, "self", out, "other", c.tensor(i));
        }
        c.write(target, c.dtype(0), broadcast(c), "self", out, "other", c.tensor(c.inputs() - 1));
    }

    private static void where(Call c) {
        Content yes = c.number(1);
        Content no = c.number(2);
        String overload =
                yes != null && no != null ? "Scalar" : yes != null ? "ScalarSelf" : no != null ? "ScalarOther" : "self";
        c.write(
                "aten.where." + overload,
                c.dtype(1),
                broadcast(c),
                "condition",
                c.tensor(0),
                "self",
                yes == null ? c.tensor(1) : yes.number(),
                "other",
                no == null ? c.tensor(2) : no.number());
    }

    /** A tensor that has the type already stays itself, as {@code to} says. */
    private static void convert(Call c, DType type) {
        if (c.dtype(0) == type) {
            c.same(0);
        } else {
            c.write("aten.to.dtype", type, c.sizes(0), "self", c.tensor(0), "dtype", type);
        }
    }
}
