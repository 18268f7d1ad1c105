package dev.headroom.estimator.op.elementwise;

import static dev.headroom.estimator.op.core.Unary.Keep.RESULT;
import static dev.headroom.estimator.op.core.Unary.Keep.SELF;

import dev.headroom.estimator.op.core.RecordedFormulas;
import dev.headroom.estimator.op.core.Unary;
import dev.headroom.estimator.op.rule.Registry;
import org.jspecify.annotations.Nullable;

/** Activations: a row each where a kernel reads the gradient and one tensor; {@link Activations} plays the others. */
public final class ActivationRules {
    private ActivationRules() {}

    public static void register(Registry r) {
        r.single("aten.relu", c -> Activations.relu(c, false, again(r, "ReluBackward0")));
        r.single("aten.relu_", c -> Activations.relu(c, true, again(r, "ReluBackward0")));
        // The approximation by tanh has another second derivative.
        r.single("aten.gelu", c -> Activations.gelu(c, again(r, "GeluBackward0")));
        r.single(
                "aten.gelu_",
                c -> Unary.apply(c.runtime(), "GeluBackward0", c.tensor("self"), SELF, Unary.FUSED, true));
        Unary.register(r, "silu", "SiluBackward0", SELF, Unary.FUSED);
        Unary.register(r, "mish", "MishBackward0", SELF, Unary.FUSED);
        Unary.register(r, "softplus", "SoftplusBackward0", SELF, Unary.FUSED);
        Unary.register(r, "hardtanh", "HardtanhBackward0", SELF, Unary.FUSED);
        Unary.register(r, "relu6", "HardtanhBackward0", SELF, Unary.FUSED);
        Unary.register(r, "hardswish", "HardswishBackward0", SELF, Unary.FUSED);
        Unary.register(r, "hardsigmoid", "HardsigmoidBackward0", SELF, Unary.FUSED);
        Unary.register(r, "hardshrink", "HardshrinkBackward0", SELF, Unary.FUSED);
        Unary.register(r, "softshrink", "SoftshrinkBackward0", SELF, Unary.FUSED);
        Unary.register(r, "threshold", "ThresholdBackward0", SELF, Unary.FUSED_KEPT_FIRST);
        // In place, these keep the result instead of the input.
        for (String name : new String[] {"elu", "selu", "celu", "leaky_relu"}) {
            String node = name.equals("leaky_relu") ? "LeakyReluBackward" : "EluBackward";
            r.single("aten." + name, c -> Activations.apply(c, node + "0", SELF, false, again(r, node + "0")));
            r.single("aten." + name + "_", c -> Activations.apply(c, node + "1", RESULT, true, again(r, node + "1")));
        }
        r.single("aten.log_sigmoid", c -> Activations.logSigmoid(c.runtime(), c.tensor("self")));
        r.single("aten.glu", c -> Activations.glu(c.runtime(), c.tensor("self"), c.integer("dim", -1)));
        r.single("aten.prelu", c -> Activations.prelu(c.runtime(), c.tensor("self"), c.tensor("weight")));
        r.single("aten.rrelu", c -> Activations.rrelu(c));
    }

    private static Unary.@Nullable Again again(Registry r, String node) {
        return RecordedFormulas.of(r, node);
    }
}
