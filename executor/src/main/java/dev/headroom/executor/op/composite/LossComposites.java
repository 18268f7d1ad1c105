package dev.headroom.executor.op.composite;

import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.tensor.Tensor;

/** Losses that are calls of element-wise functions and a reduction (aten/src/ATen/native/Loss.cpp). */
public final class LossComposites {
    private LossComposites() {}

    public static void register(Operators o) {
        Calls.add(o, "aten.l1_loss", (c, a) -> {
            Tensor difference = c.call("sub", "self", a.tensor("self"), "other", a.tensor("target"));
            Tensor each = c.call("abs", "self", difference);
            c.e().free(difference);
            return reduced(c, a, each);
        });
        Calls.add(o, "aten.kl_div", LossComposites::divergence);
    }

    /** {@code kl_div}: operands evaluated from the right as GCC does. */
    private static Tensor divergence(Calls c, Arguments a) {
        Tensor x = a.tensor("self");
        Tensor target = a.tensor("target");
        if (a.flag("log_target", false)) {
            Tensor difference = c.call("sub", "self", target, "other", x);
            Tensor probability = c.call("exp", "self", target);
            Tensor each = c.call("mul", "self", probability, "other", difference);
            c.e().free(probability);
            c.e().free(difference);
            return reduced(c, a, each);
        }
        Tensor product = c.call("mul", "self", target, "other", x);
        Tensor entropy = c.call("xlogy", "self", target, "other", target);
        Tensor each = c.call("sub", "self", entropy, "other", product);
        c.e().free(entropy);
        c.e().free(product);
        return reduced(c, a, each);
    }

    /** As torch.nn.functional's _Reduction says: 0 none, 1 mean, 2 sum. */
    static Tensor reduced(Calls c, Arguments a, Tensor each) {
        return switch ((int) a.integer("reduction", 1)) {
            case 0 -> each;
            case 1 -> c.call("mean", "self", each);
            default -> c.call("sum", "self", each);
        };
    }
}
