package dev.headroom.estimator.op.core;

import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/**
 * Functions of one tensor. A row of a family's table says what autograd keeps and what its gradient formula
 * (tools/autograd/derivatives.yaml) allocates.
 */
public final class Unary {
    /** What the backward pass needs. */
    public enum Keep {
        NOTHING,
        SELF,
        RESULT
    }

    /** The gradient from the output's and what was kept (the output's gradient again where nothing was). */
    @FunctionalInterface
    public interface Gradient {
        @Nullable
        Tensor of(Formula f, Tensor grad, Tensor kept);
    }

    /** One kernel that reads both, such as {@code tanh_backward}. */
    public static final Gradient FUSED = (f, g, kept) -> f.op(g, kept);

    /** The same, what was kept first: it decides the layout where both differ. */
    public static final Gradient FUSED_KEPT_FIRST = (f, g, kept) -> f.op(kept, g);

    /** {@code grad.neg()}, {@code grad * constant}. */
    public static final Gradient SCALED = (f, g, kept) -> f.op(g);

    /** {@code grad * f(kept)}: one temporary. */
    public static final Gradient THROUGH_ONE = (f, g, kept) -> f.op(g, f.op(kept));

    /** {@code zeros_like(grad)}. */
    public static final Gradient ZEROS = (f, g, kept) -> f.zerosLike(g);

    /** {@code grad} itself. */
    public static final Gradient SAME = (f, g, kept) -> g;

    private Unary() {}

    /** Registers a function and its in-place form; {@code name} without {@code aten.}. */
    public static void register(Registry r, String name, String node, Keep keep, Gradient gradient) {
        r.single("aten." + name, c -> apply(c.runtime(), node, c.tensor("self"), keep, gradient, false));
        r.single("aten." + name + "_", c -> apply(c.runtime(), node, c.tensor("self"), keep, gradient, true));
    }

    public static Tensor apply(EagerRuntime rt, String node, Tensor x, Keep keep, Gradient gradient, boolean inPlace) {
        return apply(rt, node, x, keep, gradient, inPlace, x.dtype());
    }

    /** @param type of the result of an integer tensor's function: its own, or the floating-point one */
    public static Tensor apply(
            EagerRuntime rt, String node, Tensor x, Keep keep, Gradient gradient, boolean inPlace, DType type) {
        Recorder r = rt.record(node, x);
        Saved input = Copies.saveIf(keep == Keep.SELF, r, rt, x, inPlace);
        Tensor out = inPlace ? x : Strided.result(rt, type, x);
        Saved kept = keep == Keep.RESULT ? r.saveOutput(out) : input;
        return r.gradient(0, g -> gradient.of(new Formula(rt), g, kept.getOr(g)))
                .output(out);
    }
}
