package dev.headroom.estimator.op.core;

import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.function.UnaryOperator;
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

    /** The same, where it is recorded in turn; see {@link RecordedFormulas}. */
    @FunctionalInterface
    public interface Again {
        Tensor of(EagerRuntime rt, Tensor grad, Tensor kept);
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
        register(r, name, node, keep, gradient, UnaryOperator.identity());
    }

    /** @param type of the result, from the operand's */
    public static void register(
            Registry r, String name, String node, Keep keep, Gradient gradient, UnaryOperator<DType> type) {
        Again again = RecordedFormulas.of(r, node);
        for (boolean inPlace : new boolean[] {false, true}) {
            r.single("aten." + name + (inPlace ? "_" : ""), c -> {
                Tensor x = c.tensor("self");
                return apply(c.runtime(), node, x, keep, gradient, inPlace, type.apply(x.dtype()), again);
            });
        }
    }

    public static Tensor apply(EagerRuntime rt, String node, Tensor x, Keep keep, Gradient gradient, boolean inPlace) {
        return apply(rt, node, x, keep, gradient, inPlace, x.dtype());
    }

    /** @param type of the result of an integer tensor's function: its own, or the floating-point one */
    public static Tensor apply(
            EagerRuntime rt, String node, Tensor x, Keep keep, Gradient gradient, boolean inPlace, DType type) {
        return apply(rt, node, x, keep, gradient, inPlace, type, null);
    }

    /** @param again the gradient's formula where it is recorded in turn, or {@code null} */
    public static Tensor apply(
            EagerRuntime rt,
            String node,
            Tensor x,
            Keep keep,
            Gradient gradient,
            boolean inPlace,
            DType type,
            @Nullable Again again) {
        Recorder r = rt.record(node, x);
        Saved input = Copies.saveIf(keep == Keep.SELF, r, rt, x, inPlace);
        Tensor out = inPlace ? x : Strided.result(rt, type, x);
        Saved kept = keep == Keep.RESULT ? r.saveOutput(out) : input;
        r.gradient(0, g -> gradient.of(new Formula(rt), g, kept.getOr(g)));
        if (again != null) {
            r.again(grads -> {
                try (Frame formula = rt.frame()) {
                    Tensor g = grads[0];
                    return new Tensor[] {g == null ? null : formula.keep(again.of(rt, g, kept.getOr(g)))};
                }
            });
        }
        return r.output(out);
    }
}
