package dev.headroom.executor.op.composite;

import dev.headroom.executor.kernel.Formula;
import dev.headroom.executor.kernel.Formulas;
import dev.headroom.executor.op.basic.Copies;
import dev.headroom.executor.op.basic.Elementwise;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Operators that are others by another name: what an operator calls on a GPU, views in place, which are views, and what
 * functionalised graphs have in the place of changes.
 */
public final class OtherForms {
    private static final double[] NONE = {};

    /** By name: the operator that computes the same from the arguments of the same names. */
    private static final Map<String, String> SAME = new TreeMap<>(Map.ofEntries(
            Map.entry("_softmax", "softmax"),
            Map.entry("_log_softmax", "log_softmax"),
            Map.entry("native_layer_norm", "layer_norm"),
            Map.entry("native_batch_norm", "batch_norm"),
            Map.entry("native_dropout", "dropout"),
            Map.entry("nll_loss_forward", "nll_loss"),
            Map.entry("nll_loss2d_forward", "nll_loss"),
            Map.entry("_scaled_dot_product_cudnn_attention", "scaled_dot_product_attention"),
            Map.entry("_scaled_dot_product_efficient_attention", "scaled_dot_product_attention"),
            Map.entry("_scaled_dot_product_flash_attention", "scaled_dot_product_attention"),
            Map.entry("t_", "t"),
            Map.entry("squeeze_", "squeeze"),
            Map.entry("unsqueeze_", "unsqueeze"),
            Map.entry("transpose_", "transpose"),
            Map.entry("swapaxes_", "swapaxes"),
            Map.entry("swapdims_", "swapdims"),
            Map.entry("as_strided_", "as_strided")));

    private static final Formula ALLOWED =
            new Formula("allowed", "y0 = s1 + s0 * x0;", (x, s, y) -> y[0] = s[1] + s[0] * x[0]);
    private static final Formula WITHIN =
            Formula.binary("within", "isfinite(x0) && x0 <= x1", (a, b) -> Double.isFinite(a) && a <= b ? 1 : 0);
    private static final Formula ALWAYS = Formula.unary("always", "1", x -> 1);

    private OtherForms() {}

    public static void register(Operators o) {
        SAME.forEach(
                (name, same) -> o.add("aten." + name, (e, a) -> Objects.requireNonNull(o.find("aten." + same), same)
                        .run(e, a.calling("aten." + same))));
        Calls.add(o, "aten.cudnn_batch_norm", OtherForms::batchNorm);
        Calls.add(o, "aten.native_group_norm", OtherForms::groupNorm);
        Calls.add(o, "aten.square_", (c, a) -> c.call("pow_", "self", a.tensor("self"), "exponent", 2));
        o.add1("aten.fill", (e, a) -> filled(e, a, a.isTensor("value")));
        o.add1("aten.zero", (e, a) -> filled(e, a, false));
        o.add1("aten.isclose", OtherForms::near);
        o.add1("aten.isreal", (e, a) -> Elementwise.map(e, ALWAYS, DType.BOOL, NONE, a.tensor("self")));
        for (String check : new String[] {"_assert_async", "_assert_scalar", "sym_constrain_range_for_size"}) {
            o.add("aten." + check, (e, a) -> new Tensor[0]);
        }
    }

    private static Tensor batchNorm(Calls c, Arguments a) {
        return c.call(
                "batch_norm",
                "input",
                a.tensor("input"),
                "weight",
                given(a, "weight"),
                "bias",
                given(a, "bias"),
                "running_mean",
                given(a, "running_mean"),
                "running_var",
                given(a, "running_var"),
                "training",
                a.flag("training", true),
                "momentum",
                a.real("exponential_average_factor", 0.1),
                "eps",
                a.real("epsilon", 1e-5));
    }

    private static Tensor groupNorm(Calls c, Arguments a) {
        return c.call(
                "group_norm",
                "input",
                a.tensor("input"),
                "num_groups",
                a.integer("group", 1),
                "weight",
                given(a, "weight"),
                "bias",
                given(a, "bias"),
                "eps",
                a.real("eps", 1e-5));
    }

    /** An argument of a call: a tensor, or an empty list for none. */
    private static Object given(Arguments a, String name) {
        Tensor t = a.optional(name);
        return t == null ? new Tensor[0] : t;
    }

    private static Tensor filled(Eager e, Arguments a, boolean byTensor) {
        Tensor x = a.tensor("self");
        var r = e.record("FillBackward0", x);
        Tensor out = e.emptyLike(x);
        if (byTensor && a.tensor("value").onDevice()) {
            Copies.fill(e, out, a.tensor("value"));
        } else {
            Elementwise.fill(e, out, byTensor ? a.tensor("value").number() : a.real("value", 0));
        }
        return r.backward(g -> new Tensor[] {Elementwise.zerosLike(e, g[0])}).output(out);
    }

    /** {@code isclose}: whether they are equal, what may be between them, and how much is (TensorCompare.cpp). */
    private static Tensor near(Eager e, Arguments a) {
        Tensor x = a.tensor("self");
        Tensor y = a.tensor("other");
        double[] numbers = {a.real("rtol", 1e-5), a.real("atol", 1e-8)};
        return e.call(() -> {
            Tensor equal = Elementwise.map(e, Formulas.EQUAL, DType.BOOL, NONE, x, y);
            Tensor size = Elementwise.unary(e, Formulas.ABS, y);
            Tensor allowed = Elementwise.unary(e, ALLOWED, size, numbers);
            Tensor difference = Elementwise.binary(e, Formulas.DIFFERENCE, x, y);
            Tensor error = Elementwise.unary(e, Formulas.ABS, difference);
            Tensor within = Elementwise.map(e, WITHIN, DType.BOOL, NONE, error, allowed);
            Elementwise.into(e, Formulas.EITHER, equal, equal, within);
            return equal;
        });
    }
}
