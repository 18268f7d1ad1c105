package dev.headroom.estimator.op.core;

import dev.headroom.estimator.op.rule.Call;
import dev.headroom.estimator.op.rule.Rule;
import dev.headroom.estimator.runtime.AutocastMode;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Automatic mixed precision at the level where PyTorch's dispatcher applies it: an operator that has a policy gets its
 * arguments cast and runs with autocast off; one without runs as it is, and what it calls is looked at again
 * (ATen/autocast_mode.h, WrapFunction_).
 */
public final class Autocast {
    private Autocast() {}

    /** Runs an operator's rule under the present mode. */
    public static Tensor[] run(Call call, Rule rule) {
        AutocastMode mode = call.runtime().autocast();
        AutocastPolicy policy = mode.active() ? AutocastPolicy.of(call.node().target()) : null;
        return policy == null ? rule.run(call) : intercepted(call, rule, mode, policy);
    }

    private static Tensor[] intercepted(Call call, Rule rule, AutocastMode mode, AutocastPolicy policy) {
        Call cast =
                switch (policy) {
                    case LOWER -> castAll(call, mode.type());
                    case FLOAT32 -> castAll(call, DType.FLOAT32);
                    case PROMOTE -> castAll(call, widest(call, mode.type()));
                    case FLOAT32_TYPE -> eligible(first(call)) ? call.with(Map.of(), DType.FLOAT32) : call;
                    case BANNED ->
                        throw new UserInputException("node " + call.node().name() + " ("
                                + call.node().target() + ") is refused under autocast, as PyTorch does;"
                                + " use binary_cross_entropy_with_logits, or predict without `amp`");
                };
        // The casts are arguments: they outlive the operator's own variables.
        boolean before = mode.exclude(true);
        Frame inner = call.runtime().frame();
        try {
            Tensor[] results = rule.run(cast);
            for (Tensor t : results) {
                inner.keep(t);
            }
            return results;
        } finally {
            inner.close();
            mode.exclude(before);
        }
    }

    /** The compiler evaluates a call's arguments from the last to the first. */
    private static Call castAll(Call call, DType type) {
        List<Node.NamedArgument> arguments = call.node().arguments();
        Map<String, Tensor[]> out = new HashMap<>();
        for (int i = arguments.size() - 1; i >= 0; i--) {
            String name = arguments.get(i).name();
            Argument a = arguments.get(i).value();
            if (a instanceof Argument.Value) {
                out.put(name, new Tensor[] {cast(call.runtime(), call.tensor(name), type)});
            } else if (a instanceof Argument.Values) {
                Tensor[] list = call.tensors(name).clone();
                for (int k = 0; k < list.length; k++) {
                    list[k] = cast(call.runtime(), list[k], type);
                }
                out.put(name, list);
            }
        }
        return call.with(out, null);
    }

    /** cached_cast: weights are cast once a region. */
    private static Tensor cast(EagerRuntime rt, Tensor t, DType type) {
        if (!eligible(t) || t.dtype() == type) {
            return t;
        }
        AutocastMode mode = rt.autocast();
        if (type != mode.type() || !mode.keepsCastOf(t)) {
            return Copies.to(rt, t, type);
        }
        Tensor kept = mode.castOf(t);
        if (kept == null) {
            // Recorded even where gradients are off, because a later use may want them.
            boolean recording = rt.setGradMode(true);
            kept = Copies.to(rt, t, type);
            rt.setGradMode(recording);
            mode.keep(t, kept);
        }
        return kept;
    }

    private static boolean eligible(@Nullable Tensor t) {
        return t != null && t.onDevice() && t.dtype().isFloatingPoint() && t.dtype() != DType.FLOAT64;
    }

    private static @Nullable Tensor first(Call call) {
        for (Node.NamedArgument a : call.node().arguments()) {
            if (a.value() instanceof Argument.Value) {
                return call.tensor(a.name());
            }
        }
        return null;
    }

    /** promote_type: float32 where any argument is. */
    private static DType widest(Call call, DType lower) {
        for (Node.NamedArgument a : call.node().arguments()) {
            if (a.value() instanceof Argument.Value
                    && call.tensor(a.name()).dtype() == DType.FLOAT32
                    && call.tensor(a.name()).onDevice()) {
                return DType.FLOAT32;
            }
            if (a.value() instanceof Argument.Values) {
                for (Tensor t : call.tensors(a.name())) {
                    if (t != null && t.dtype() == DType.FLOAT32 && t.onDevice()) {
                        return DType.FLOAT32;
                    }
                }
            }
        }
        return lower;
    }

    /** {@code t.to(type)}, outside of any operator. */
    public static Tensor convert(EagerRuntime rt, Tensor t, DType type) {
        return Copies.to(rt, t, type);
    }

    /** An operator that runs in float32, called by another one that autocast does not intercept. */
    public static Tensor float32(EagerRuntime rt, Tensor t) {
        return rt.autocast().active() ? cast(rt, t, DType.FLOAT32) : t;
    }
}
