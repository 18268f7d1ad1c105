package dev.headroom.ops;

import dev.headroom.graph.DType;
import dev.headroom.shadow.Recording;
import dev.headroom.shadow.Runtime;
import dev.headroom.shadow.Saved;
import dev.headroom.shadow.Tensor;

/** Functions of one tensor: activations and elementary functions. */
final class ActivationRules {
    /** What the backward pass needs. */
    private enum Keep {
        NOTHING,
        SELF,
        RESULT
    }

    /** The gradient from the output's and what was kept. */
    @FunctionalInterface
    private interface Gradient {
        Tensor of(Runtime rt, Tensor grad, Tensor kept);
    }

    /** One kernel that reads both, such as {@code tanh_backward}. */
    private static final Gradient FUSED = (rt, g, kept) -> Pointwise.op(rt, g, kept);

    /** {@code threshold_backward}: the result takes the layout of the input (ATen/native/Activation.cpp). */
    private static final Gradient THRESHOLD = (rt, g, kept) -> Pointwise.op(rt, kept, g);

    /** {@code grad.neg()}, {@code grad * constant}. */
    private static final Gradient SCALED = (rt, g, kept) -> Pointwise.op(rt, g);

    /** {@code grad * f(kept)}: one temporary. */
    private static final Gradient THROUGH_ONE = (rt, g, kept) -> {
        Tensor f = Pointwise.op(rt, kept);
        return Pointwise.opFreeing(rt, f, g);
    };

    private ActivationRules() {}

    static void register(Registry r) {
        function(r, "relu", "ReluBackward0", Keep.RESULT, THRESHOLD);
        function(r, "tanh", "TanhBackward0", Keep.RESULT, FUSED);
        function(r, "sigmoid", "SigmoidBackward0", Keep.RESULT, FUSED);
        function(r, "exp", "ExpBackward0", Keep.RESULT, FUSED);
        function(r, "gelu", "GeluBackward0", Keep.SELF, FUSED);
        function(r, "silu", "SiluBackward0", Keep.SELF, FUSED);
        function(r, "mish", "MishBackward0", Keep.SELF, FUSED);
        function(r, "elu", "EluBackward0", Keep.SELF, FUSED);
        function(r, "softplus", "SoftplusBackward0", Keep.SELF, FUSED);
        function(r, "leaky_relu", "LeakyReluBackward0", Keep.SELF, FUSED);
        function(r, "hardtanh", "HardtanhBackward0", Keep.SELF, FUSED);
        function(r, "relu6", "HardtanhBackward0", Keep.SELF, FUSED);
        function(r, "hardswish", "HardswishBackward0", Keep.SELF, FUSED);
        function(r, "hardsigmoid", "HardsigmoidBackward0", Keep.SELF, FUSED);
        function(r, "log", "LogBackward0", Keep.SELF, FUSED);
        function(r, "neg", "NegBackward0", Keep.NOTHING, SCALED);
        function(r, "sin", "SinBackward0", Keep.SELF, THROUGH_ONE);
        function(r, "cos", "CosBackward0", Keep.SELF, (rt, g, x) -> {
            Tensor sine = Pointwise.op(rt, x);
            Tensor negated = Pointwise.op(rt, sine);
            Tensor out = Pointwise.op(rt, g, negated);
            rt.free(negated);
            rt.free(sine);
            return out;
        });
        function(r, "abs", "AbsBackward0", Keep.SELF, THROUGH_ONE);
        function(r, "sqrt", "SqrtBackward0", Keep.RESULT, THROUGH_ONE);
        function(r, "rsqrt", "RsqrtBackward0", Keep.RESULT, (rt, g, y) -> {
            Tensor cube = Pointwise.op(rt, y);
            Tensor scaled = Pointwise.op(rt, g);
            Tensor out = Pointwise.op(rt, scaled, cube);
            rt.free(scaled);
            rt.free(cube);
            return out;
        });
        for (String name : new String[] {"floor", "ceil", "round", "sign", "trunc"}) {
            r.single("aten." + name, c -> Pointwise.op(c.runtime(), c.tensor("self")));
        }
    }

    /** Registers a function and its in-place form. */
    private static void function(Registry r, String name, String node, Keep keep, Gradient gradient) {
        r.single("aten." + name, c -> apply(c.runtime(), node, c.tensor("self"), keep, gradient, false));
        r.single("aten." + name + "_", c -> apply(c.runtime(), node, c.tensor("self"), keep, gradient, true));
    }

    private static Tensor apply(Runtime rt, String node, Tensor x, Keep keep, Gradient gradient, boolean inPlace) {
        Recording r = rt.record(node, x);
        Saved input = null;
        if (r != null && keep == Keep.SELF) {
            // In place, what is kept would be overwritten: autograd keeps a copy (tools/autograd/gen_variable_type.py).
            input = r.save(inPlace ? Copies.clone(rt, x) : x);
        }
        DType type = x.dtype() == DType.BOOL || !x.dtype().isFloatingPoint() ? Strided.floating(x.dtype()) : x.dtype();
        Tensor out = inPlace
                ? x
                : Strided.result(rt, node.startsWith("Neg") || node.startsWith("Abs") ? x.dtype() : type, x);
        if (r != null) {
            Saved kept = keep == Keep.RESULT ? r.saveOutput(out) : input;
            r.gradient(0, g -> gradient.of(rt, g, kept == null ? null : kept.get()));
            r.output(out);
        }
        return out;
    }
}
