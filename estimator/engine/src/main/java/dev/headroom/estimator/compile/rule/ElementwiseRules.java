package dev.headroom.estimator.compile.rule;

import dev.headroom.estimator.compile.trace.Traced;
import dev.headroom.estimator.compile.trace.Value;
import dev.headroom.model.graph.DType;
import java.util.Map;
import java.util.function.BiFunction;

/** Elementwise operators with their decompositions and derivatives. */
final class ElementwiseRules {
    private ElementwiseRules() {}

    static void register(Map<String, Rule> rules) {
        for (String op : new String[] {"add", "sub", "mul", "div", "rsub"}) {
            put(rules, "aten." + op, ElementwiseRules::arithmetic);
            put(rules, "aten." + op + "_", ElementwiseRules::arithmetic);
        }
        for (String op : new String[] {"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or"}) {
            put(rules, "aten." + op, (ops, s) -> plain(ops, s, op, DType.BOOL));
        }
        for (String op : new String[] {
            "__and__", "__or__", "bitwise_and", "bitwise_or", "floor_divide", "bitwise_not", "logical_not"
        }) {
            put(
                    rules,
                    "aten." + op,
                    (ops, s) ->
                            plain(ops, s, op.replace("__", ""), s.value("self").dtype()));
        }
        for (String op : new String[] {"floor", "ceil", "round", "sign"}) {
            unary(rules, op, simple(op), (e, g, x, y) -> e.zeros(g));
        }
        put(rules, "aten.clamp_min", ElementwiseRules::atLeast);
        put(rules, "aten.remainder", (ops, s) -> remainder(ops, s, "floor"));
        put(rules, "aten.fmod", (ops, s) -> remainder(ops, s, "trunc"));
        smooth(rules);
        activations(rules);
        put(rules, "aten.where", ElementwiseRules::where);
        put(rules, "aten.masked_fill", ElementwiseRules::masked);
        put(rules, "aten.masked_fill_", ElementwiseRules::masked);
        put(rules, "aten.pow", ElementwiseRules::pow);
        put(
                rules,
                "aten.clone",
                (ops, s) -> ops.unary(
                        s.tensor("self"),
                        ops.joint.copy(s.value("self"), s.value("self").strides()),
                        (g, y) -> g));
    }

    private static void put(Map<String, Rule> rules, String name, Rule.Single rule) {
        rules.put(name, (ops, s) -> new Traced[] {rule.trace(ops, s)});
    }

    private static void unary(Map<String, Rule> rules, String name, Function forward, Derivative derivative) {
        Rule.Single rule = (ops, s) -> {
            Traced x = s.tensor("self");
            return ops.unary(x, forward.of(ops.emit, x.value()), (g, y) -> derivative.of(ops.emit, g, x.value(), y));
        };
        put(rules, "aten." + name, rule);
        put(rules, "aten." + name + "_", rule);
    }

    private interface Function {
        Value of(Emit e, Value x);
    }

    private interface Derivative {
        Value of(Emit e, Value gradient, Value x, Value result);
    }

    private static Function simple(String op) {
        return (e, x) -> e.unary(op, x);
    }

    private static void smooth(Map<String, Rule> rules) {
        unary(rules, "neg", simple("neg"), (e, g, x, y) -> e.unary("neg", g));
        unary(rules, "exp", simple("exp"), (e, g, x, y) -> e.mul(g, y));
        unary(rules, "log", simple("log"), (e, g, x, y) -> e.binary("div", g, x));
        unary(rules, "abs", simple("abs"), (e, g, x, y) -> e.mul(g, e.unary("sign", x)));
        unary(rules, "cos", simple("cos"), (e, g, x, y) -> e.mul(g, e.unary("neg", e.unary("sin", x))));
        unary(rules, "sin", simple("sin"), (e, g, x, y) -> e.mul(g, e.unary("cos", x)));
        unary(rules, "sqrt", simple("sqrt"), (e, g, x, y) -> e.binary("div", g, e.mul(y, 2)));
        unary(rules, "rsqrt", simple("rsqrt"), (e, g, x, y) -> e.mul(e.mul(g, -0.5), e.with("pow", y, 3)));
        unary(rules, "reciprocal", simple("reciprocal"), (e, g, x, y) -> e.mul(e.unary("neg", g), e.mul(y, y)));
        unary(rules, "tanh", simple("tanh"), (e, g, x, y) -> e.mul(g, e.with("rsub", e.mul(y, y), 1)));
        unary(rules, "sigmoid", simple("sigmoid"), (e, g, x, y) -> e.mul(g, e.mul(y, e.with("rsub", y, 1))));
        unary(rules, "erf", simple("erf"), (e, g, x, y) -> e.mul(g, e.mul(e.unary("exp", e.mul(x, x)), 1.128)));
        unary(rules, "softplus", simple("softplus"), (e, g, x, y) -> e.mul(g, e.unary("sigmoid", x)));
    }

    private static void activations(Map<String, Rule> rules) {
        unary(rules, "relu", simple("relu"), (e, g, x, y) -> e.zeroWhere(e.compare("le", y, 0), g));
        unary(rules, "hardtanh", ElementwiseRules::clamped, (e, g, x, y) -> e.zeroWhere(outside(e, x), g));
        unary(rules, "relu6", ElementwiseRules::clamped, (e, g, x, y) -> e.zeroWhere(outside(e, x), g));
        unary(rules, "clamp", ElementwiseRules::clamped, (e, g, x, y) -> e.zeroWhere(outside(e, x), g));
        unary(
                rules,
                "leaky_relu",
                (e, x) -> e.where(e.compare("gt", x, 0), x, e.mul(x, 0.01)),
                (e, g, x, y) -> e.where(e.compare("gt", x, 0), g, e.mul(g, 0.01)));
        unary(
                rules,
                "elu",
                (e, x) -> e.where(e.compare("gt", x, 0), x, e.unary("expm1", x)),
                (e, g, x, y) -> e.where(e.compare("le", x, 0), e.mul(g, e.unary("exp", x)), g));
        unary(rules, "silu", ElementwiseRules::silu, ElementwiseRules::siluBackward);
        unary(
                rules,
                "hardswish",
                (e, x) -> e.with("div", e.mul(x, clamped(e, e.with("add", x, 3))), 6),
                (e, g, x, y) -> e.zeroWhere(
                        e.compare("le", x, -3),
                        e.where(e.compare("lt", x, 3), e.mul(g, e.with("add", e.with("div", x, 3), 0.5)), g)));
        unary(
                rules,
                "hardsigmoid",
                (e, x) -> e.with("div", clamped(e, e.with("add", x, 3)), 6),
                (e, g, x, y) -> e.where(outside(e, x), e.mul(g, 1 / 6.0), e.mul(g, 0)));
        Rule.Single gelu = (ops, s) -> {
            Traced x = s.tensor("self");
            boolean tanh = s.text("approximate", "none").equals("tanh");
            Value out = tanh ? geluTanh(ops.emit, x.value()) : gelu(ops.emit, x.value());
            return ops.unary(
                    x,
                    out,
                    (g, y) -> tanh ? geluTanhBackward(ops.emit, g, x.value()) : geluBackward(ops.emit, g, x.value()));
        };
        put(rules, "aten.gelu", gelu);
        put(rules, "aten.gelu_", gelu);
    }

    private static Value clamped(Emit e, Value x) {
        return e.with("clamp_max", e.with("clamp_min", x, "low"), "high");
    }

    private static Value outside(Emit e, Value x) {
        return e.compare("bitwise_or", e.compare("le", x, "low"), e.compare("ge", x, "high"));
    }

    private static Value silu(Emit e, Value x) {
        Value wide = e.wide(x);
        Value below = e.with("add", e.unary("exp", e.unary("neg", wide)), 1);
        return e.convert(e.binary("div", wide, below), x.dtype());
    }

    private static Value siluBackward(Emit e, Value gradient, Value x, Value result) {
        Value g = e.wide(gradient);
        Value wide = e.wide(x);
        Value sigmoid = e.unary("sigmoid", wide);
        Value first = e.mul(g, sigmoid);
        Value second = e.with("add", e.mul(wide, e.with("rsub", sigmoid, 1)), 1);
        return e.convert(e.mul(first, second), x.dtype());
    }

    private static Value gelu(Emit e, Value x) {
        Value wide = e.wide(x);
        Value half = e.mul(wide, 0.5);
        Value erf = e.unary("erf", e.mul(wide, 0.7071));
        return e.convert(e.mul(half, e.with("add", erf, 1)), x.dtype());
    }

    private static Value geluBackward(Emit e, Value gradient, Value x) {
        Value g = e.wide(gradient);
        Value wide = e.wide(x);
        Value below = e.mul(e.with("add", e.unary("erf", e.mul(wide, 0.7071)), 1), 0.5);
        Value density = e.mul(e.unary("exp", e.mul(e.mul(wide, wide), -0.5)), 0.3989);
        return e.convert(e.mul(g, e.add(below, e.mul(wide, density))), x.dtype());
    }

    private static Value geluInner(Emit e, Value wide) {
        Value cube = e.mul(e.mul(wide, wide), wide);
        return e.mul(e.add(wide, e.mul(cube, 0.044715)), 0.79788);
    }

    private static Value geluTanh(Emit e, Value x) {
        Value wide = e.wide(x);
        Value half = e.mul(wide, 0.5);
        Value tanh = e.unary("tanh", geluInner(e, wide));
        return e.convert(e.mul(half, e.with("add", tanh, 1)), x.dtype());
    }

    private static Value geluTanhBackward(Emit e, Value gradient, Value x) {
        Value g = e.wide(gradient);
        Value wide = e.wide(x);
        Value tanh = e.unary("tanh", geluInner(e, wide));
        Value left = e.mul(wide, 0.5);
        Value right = e.with("add", tanh, 1);
        Value first = e.mul(right, 0.5);
        Value slope = e.with("rsub", e.mul(tanh, tanh), 1);
        Value inner = e.mul(e.with("add", e.mul(e.mul(wide, wide), 0.134), 1), 0.79788);
        Value second = e.mul(e.mul(left, slope), inner);
        return e.convert(e.mul(g, e.add(first, second)), x.dtype());
    }

    private static Traced arithmetic(Ops ops, Site s) {
        String op = s.node().operator().replace("aten.", "");
        boolean number = !s.isTensor("other");
        Traced a = s.tensor("self");
        if (number) {
            String written = op + s.plain();
            Value out = ops.emit.with(base(op), a.value(), written);
            boolean scales = base(op).equals("mul") || base(op).equals("div");
            return ops.unary(
                    a,
                    out,
                    (g, y) -> scales
                            ? ops.emit.with(base(op), g, written)
                            : base(op).equals("rsub") ? ops.emit.unary("neg", g) : g);
        }
        Traced b = s.tensor("other");
        return switch (base(op)) {
            case "add" -> ops.add(a, b);
            case "sub" -> ops.sub(a, b);
            case "rsub" -> ops.sub(b, a);
            case "mul" -> ops.mul(a, b);
            default -> ops.div(a, b);
        };
    }

    private static String base(String op) {
        return op.endsWith("_") ? op.substring(0, op.length() - 1) : op;
    }

    /** An operator without a derivative. */
    private static Traced plain(Ops ops, Site s, String op, DType type) {
        Value a = s.value("self");
        Value out = s.isTensor("other")
                ? ops.joint.pointwise("aten." + op, s.plain(), type, a, s.value("other"))
                : ops.joint.pointwise("aten." + op, s.plain(), type, a);
        return Traced.constant(out);
    }

    private static Traced atLeast(Ops ops, Site s) {
        Traced x = s.tensor("self");
        Emit e = ops.emit;
        Value zero = ops.joint.number("0", x.value().dtype());
        return ops.unary(
                x,
                e.with("clamp_min", x.value(), s.plain()),
                (g, y) -> e.where(e.compare("gt", x.value(), s.plain()), g, zero));
    }

    /** @param rounding of the quotient, by which the divisor's gradient is multiplied */
    private static Traced remainder(Ops ops, Site s, String rounding) {
        Traced a = s.tensor("self");
        Emit e = ops.emit;
        String op = s.node().operator().replace("aten.", "");
        if (!s.isTensor("other")) {
            return ops.unary(a, e.with(op, a.value(), s.plain()), (g, y) -> g);
        }
        Traced b = s.tensor("other");
        return ops.tape.call(
                e.binary(op, a.value(), b.value()),
                g -> {
                    Value second = null;
                    if (b.requiresGrad()) {
                        Value quotient = e.unary(rounding, e.binary("div", a.value(), b.value()));
                        second = e.mul(e.unary("neg", g), quotient);
                    }
                    return ops.sums(g, second, a, b);
                },
                a,
                b);
    }

    private static Traced where(Ops ops, Site s) {
        Value condition = s.value("condition");
        DType type = s.isTensor("self")
                ? s.value("self").dtype()
                : s.isTensor("other") ? s.value("other").dtype() : DType.FLOAT32;
        Traced a = operand(ops, s, "self", type);
        Traced b = operand(ops, s, "other", type);
        return ops.tape.call(
                ops.emit.where(condition, a.value(), b.value()),
                g -> ops.sums(
                        a.requiresGrad() ? ops.emit.where(condition, g, ops.joint.number("0", g.dtype())) : null,
                        b.requiresGrad() ? ops.emit.zeroWhere(condition, g) : null,
                        a,
                        b),
                a,
                b);
    }

    private static Traced operand(Ops ops, Site s, String name, DType type) {
        return s.isTensor(name) ? s.tensor(name) : Traced.constant(ops.joint.number(name + s.plain(), type));
    }

    private static Traced masked(Ops ops, Site s) {
        Traced x = s.tensor("self");
        Value mask = s.value("mask");
        Value filled = s.isTensor("value")
                ? s.value("value")
                : ops.joint.number("" + s.number("value", 0), x.value().dtype());
        return ops.unary(x, ops.emit.where(mask, filled, x.value()), (g, y) -> ops.emit.zeroWhere(mask, g));
    }

    private static Traced pow(Ops ops, Site s) {
        Traced x = s.tensor("self");
        if (s.isTensor("exponent")) {
            throw new NoDecomposition("a tensor as exponent");
        }
        double n = s.number("exponent", 2);
        Emit e = ops.emit;
        BiFunction<Value, Value, Value> backward = (g, y) -> e.mul(g, e.mul(e.with("pow", x.value(), n - 1), n));
        return ops.unary(x, e.with("pow", x.value(), n), backward);
    }
}
