package dev.headroom.estimator.op.elementwise;

import dev.headroom.estimator.op.core.Formula;
import dev.headroom.estimator.op.core.Strided;
import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Recorder;
import dev.headroom.estimator.runtime.Saved;
import dev.headroom.estimator.runtime.Tensor;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code clamp} by tensors (FunctionsManual.cpp, clamp_backward and clamp_backward_min_max). Where two tensors are
 * equal they share the gradient, or the first has it all in
 * {@link dev.headroom.model.scenario.TorchVersion#splitsTies older} versions.
 */
public final class Clamping {
    private Clamping() {}

    public static void register(Registry r) {
        for (String name : new String[] {"clamp", "clip"}) {
            r.single(
                    "aten." + name + ".Tensor",
                    c -> run(c, "ClampBackward0", c.tensorOrNull("min"), c.tensorOrNull("max")));
        }
        r.single("aten.clamp_min.Tensor", c -> run(c, "ClampMinBackward1", c.tensor("min"), null));
        r.single("aten.clamp_max.Tensor", c -> run(c, "ClampMaxBackward1", null, c.tensor("max")));
    }

    private static Tensor run(Call c, String node, @Nullable Tensor min, @Nullable Tensor max) {
        EagerRuntime rt = c.runtime();
        Tensor x = c.tensor("self");
        Recorder r = rt.record(node, x, min, max);
        Saved high = r.save(max);
        Saved low = r.save(min);
        Saved self = r.save(x);
        Tensor out = Strided.result(
                rt, Stream.of(x, min, max).filter(Objects::nonNull).toArray(Tensor[]::new));
        if (min != null && max != null) {
            return r.gradients(grads -> byBoth(rt, r, grads[0], self.get(), low.get(), high.get()))
                    .output(out);
        }
        Saved bound = min == null ? high : low;
        Recorder.InputGradient gradient = g -> chosen(new Formula(rt), g, self.get(), bound.get());
        return r.gradient(min == null ? 2 : 1, gradient).gradient(0, gradient).output(out);
    }

    /**
     * {@code where(self == bound, grad / 2, self < bound ? grad : 0)}, which both sides are; before,
     * {@code where(self < bound, grad, 0)}.
     */
    private static Tensor chosen(Formula f, Tensor g, Tensor self, Tensor bound) {
        if (!f.runtime().options().torch().splitsTies()) {
            Tensor zero = f.runtime().empty(g.dtype());
            return f.where(f.test(self, bound), g, zero);
        }
        f.test(self, bound);
        Tensor half = f.op(g);
        return f.where(f.test(self, bound), half, g);
    }

    private static Tensor[] byBoth(EagerRuntime rt, Recorder r, Tensor g, Tensor self, Tensor min, Tensor max) {
        Tensor[] out = new Tensor[3];
        if (g == null) {
            return out;
        }
        if (!rt.options().torch().splitsTies()) {
            return wholeByBoth(rt, r, g, self, min, max);
        }
        if (r.needs(1) || r.needs(2)) {
            Tensor less = new Formula(rt).test(min, max);
            Tensor equal = new Formula(rt).test(min, max);
            out[1] = r.needs(1) ? ofMin(rt, g, self, min, less, equal) : null;
            out[2] = r.needs(2) ? ofMax(rt, g, self, min, max, less, equal) : null;
            rt.free(equal);
            rt.free(less);
        }
        out[0] = r.needs(0) ? ofSelf(rt, g, self, min, max) : null;
        return out;
    }

    /** Each gradient is {@code where(a and b, grad, 0)} of two comparisons; those of the bounds share their zero. */
    private static Tensor[] wholeByBoth(EagerRuntime rt, Recorder r, Tensor g, Tensor self, Tensor min, Tensor max) {
        Tensor[] out = new Tensor[3];
        Formula f = new Formula(rt);
        if (r.needs(1) || r.needs(2)) {
            Tensor zero = rt.empty(g.dtype());
            out[1] = r.needs(1) ? whole(f, g, zero, f.test(self, min), f.test(min, max)) : null;
            out[2] = r.needs(2) ? whole(f, g, zero, f.test(self, max), f.test(max, min)) : null;
            rt.free(zero);
        }
        if (r.needs(0)) {
            Tensor zero = rt.empty(g.dtype());
            out[0] = whole(f, g, zero, f.test(self, min), f.test(self, max));
            rt.free(zero);
        }
        return out;
    }

    private static Tensor whole(Formula f, Tensor g, Tensor zero, Tensor first, Tensor second) {
        Tensor out = f.where(first, g, zero);
        free(f.runtime(), first, second);
        return out;
    }

    private static void free(EagerRuntime rt, Tensor... inReverse) {
        for (int i = inReverse.length - 1; i >= 0; i--) {
            rt.free(inReverse[i]);
        }
    }

    private static Tensor ofMin(EagerRuntime rt, Tensor g, Tensor self, Tensor min, Tensor less, Tensor equal) {
        Formula f = new Formula(rt);
        Tensor atMost = f.test(self, min);
        Tensor both = f.test(equal, atMost);
        Tensor below = f.test(self, min);
        Tensor belowBoth = f.test(less, below);
        Tensor any = f.test(both, belowBoth);
        free(rt, atMost, both, below, belowBoth);
        return split(f, g, self, min, any, null);
    }

    private static Tensor ofMax(
            EagerRuntime rt, Tensor g, Tensor self, Tensor min, Tensor max, Tensor less, Tensor equal) {
        Formula f = new Formula(rt);
        Tensor inverted = f.test(min, max);
        Tensor atLeast = f.test(self, max);
        Tensor both = f.test(equal, atLeast);
        Tensor either = f.test(inverted, both);
        Tensor above = f.test(self, max);
        Tensor aboveBoth = f.test(less, above);
        Tensor any = f.test(either, aboveBoth);
        free(rt, atLeast, both, either, above, aboveBoth);
        Tensor out = split(f, g, self, max, any, less);
        rt.free(inverted);
        return out;
    }

    private static Tensor split(Formula f, Tensor g, Tensor self, Tensor bound, Tensor any, @Nullable Tensor also) {
        EagerRuntime rt = f.runtime();
        Tensor none = f.test(any);
        Tensor half = f.op(g);
        Tensor meets = f.test(self, bound);
        Tensor mask = also == null ? meets : f.test(meets, also);
        Tensor out = f.where(mask, half, g);
        rt.freeUnless(mask, meets);
        free(rt, any, none, half, meets);
        return out;
    }

    private static Tensor ofSelf(EagerRuntime rt, Tensor g, Tensor self, Tensor min, Tensor max) {
        Formula f = new Formula(rt);
        Tensor less = f.test(min, max);
        Tensor meetsMin = f.test(self, min);
        Tensor meetsMax = f.test(self, max);
        Tensor meets = f.test(meetsMin, meetsMax);
        Tensor shared = f.test(less, meets);
        free(rt, meetsMin, meetsMax, meets);
        Tensor below = f.test(self, min);
        Tensor above = f.test(self, max);
        Tensor outside = f.test(below, above);
        free(rt, below, above);
        Tensor half = f.op(g);
        Tensor out = f.where(shared, half, g);
        free(rt, less, shared, outside, half);
        return out;
    }
}
