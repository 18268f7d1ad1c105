package dev.headroom.executor.op.elementwise;

import dev.headroom.executor.autograd.Recorder;
import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.basic.Promotion;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operator;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.function.DoubleBinaryOperator;
import org.jspecify.annotations.Nullable;

/** Comparisons and logic: nothing of theirs is recorded for the backward pass. */
public final class ComparisonOperators {
    private static final Formula COMPLEMENT = Formula.unary("bitwise_not", "(real) ~(long long) x0", x -> ~(long) x);

    private ComparisonOperators() {}

    public static void register(Operators o) {
        comparison(o, "eq", "==", (a, b) -> a == b ? 1 : 0);
        comparison(o, "ne", "!=", (a, b) -> a != b ? 1 : 0);
        comparison(o, "lt", "<", (a, b) -> a < b ? 1 : 0);
        comparison(o, "le", "<=", (a, b) -> a <= b ? 1 : 0);
        comparison(o, "gt", ">", (a, b) -> a > b ? 1 : 0);
        comparison(o, "ge", ">=", (a, b) -> a >= b ? 1 : 0);
        logic(o, "logical_and", "&&", (a, b) -> a != 0 && b != 0 ? 1 : 0);
        logic(o, "logical_or", "||", (a, b) -> a != 0 || b != 0 ? 1 : 0);
        Formula either =
                Formula.binary("logical_xor", "((x0 != 0) != (x1 != 0))", (a, b) -> a != 0 != (b != 0) ? 1 : 0);
        o.add1("aten.logical_xor", (e, a) -> compare(e, either, a.tensor("self"), a.tensor("other")));
        Formula not = Formula.unary("logical_not", "x0 == 0", x -> x == 0 ? 1 : 0);
        unrecorded(o, "logical_xor_", either, "other");
        unrecorded(o, "logical_not_", not, null);
        unrecorded(o, "bitwise_not_", COMPLEMENT, null);
        o.add1("aten.logical_not", (e, a) -> not(e, not, a.tensor("self")));
        o.add1("aten.bitwise_not", (e, a) -> bitwiseNot(e, not, a.tensor("self")));
        bits(o, "and", "&", (a, b) -> (long) a & (long) b);
        bits(o, "or", "|", (a, b) -> (long) a | (long) b);
        bits(o, "xor", "^", (a, b) -> (long) a ^ (long) b);
    }

    private static void comparison(Operators o, String name, String sign, DoubleBinaryOperator host) {
        Formula formula = Formula.binary(name, "(x0 " + sign + " x1)", host);
        o.add1("aten." + name, (e, a) -> compare(e, formula, a.tensor("self"), operand(a, "other")));
        inPlace(o, name, formula, "other");
    }

    private static void logic(Operators o, String name, String sign, DoubleBinaryOperator host) {
        Formula formula = Formula.binary(name, "(x0 " + sign + " x1)", host);
        o.add1("aten." + name, (e, a) -> compare(e, formula, a.tensor("self"), operand(a, "other")));
        unrecorded(o, name + "_", formula, "other");
    }

    private static void bits(Operators o, String name, String sign, DoubleBinaryOperator host) {
        Formula formula =
                Formula.binary("bitwise_" + name, "(real) ((long long) x0 " + sign + " (long long) x1)", host);
        Operator.Single operator = (e, a) -> {
            Tensor x = a.tensor("self");
            Tensor y = operand(a, "other");
            return Elementwise.map(e, formula, Promotion.common(x, y), new double[0], x, y);
        };
        o.add1("aten.bitwise_" + name, operator);
        o.add1("aten.__" + name + "__", operator);
        unrecorded(o, "bitwise_" + name + "_", formula, "other");
        unrecorded(o, "__i" + name + "__", formula, "other");
    }

    /** The form in place of an operator that has no derivative: autograd takes no note of it. */
    public static void unrecorded(Operators o, String name, Formula formula, @Nullable String other) {
        o.add1("aten." + name, (e, a) -> {
            Tensor x = a.tensor("self");
            changed(e, formula, x, other == null ? null : operand(a, other));
            x.storage().changed();
            return x;
        });
    }

    private static void changed(Eager e, Formula formula, Tensor x, @Nullable Tensor other) {
        if (other == null) {
            Elementwise.into(e, formula, x, x);
        } else {
            Elementwise.into(e, formula, x, x, other);
        }
    }

    /**
     * The form that puts the result where the operand was, in its type: nothing is made on the device, and neither
     * operand has a gradient but zeros, the second one's made first (derivatives.yaml: zeros_like).
     *
     * @param other the second operand's name
     */
    public static void inPlace(Operators o, String name, Formula formula, String other) {
        o.add1("aten." + name + "_", (e, a) -> {
            Tensor x = a.tensor("self");
            Tensor y = operand(a, other);
            Recorder r = e.record("ChangedBackward0", x, y);
            changed(e, formula, x, y);
            long[] sizes = y.sizes();
            r.backward(g -> {
                Tensor ofOther = null;
                if (r.needs(1)) {
                    ofOther = e.empty(g[0].dtype(), sizes);
                    Elementwise.fill(e, ofOther, 0);
                }
                return new Tensor[] {r.needs(0) ? Elementwise.zerosLike(e, g[0]) : null, ofOther};
            });
            return r.changed(x);
        });
    }

    /** The second operand: a tensor, or a number as a scalar in host memory. */
    public static Tensor operand(Arguments a, String name) {
        if (a.isTensor(name)) {
            return a.tensor(name);
        }
        return Tensor.number(a.isInteger(name) ? DType.INT64 : DType.FLOAT32, a.real(name, 0));
    }

    private static Tensor compare(Eager e, Formula formula, Tensor a, Tensor b) {
        return Elementwise.map(e, formula, DType.BOOL, new double[0], a, b);
    }

    private static Tensor not(Eager e, Formula formula, Tensor t) {
        return Elementwise.map(e, formula, DType.BOOL, new double[0], t);
    }

    private static Tensor bitwiseNot(Eager e, Formula not, Tensor t) {
        if (t.dtype() == DType.BOOL) {
            return not(e, not, t);
        }
        return Elementwise.map(e, COMPLEMENT, t.dtype(), new double[0], t);
    }
}
