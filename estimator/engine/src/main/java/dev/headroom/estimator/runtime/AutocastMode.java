package dev.headroom.estimator.runtime;

import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of automatic mixed precision: whether operators are intercepted, the type that they are lowered to, and the
 * casts of weights that are kept until the outermost region ends (torch/amp/autocast_mode.py, autocast.__enter__ and
 * __exit__; ATen/autocast_mode.cpp, cached_cast).
 */
public final class AutocastMode {
    /** What a region replaces and its end restores. */
    public record State(boolean enabled, DType type, boolean caching) {}

    private final EagerRuntime runtime;
    private State state = new State(false, DType.FLOAT16, true);
    private boolean excluded;
    private int nesting;

    /**
     * By source. PyTorch frees them in the order of host addresses, which no model knows; here the oldest goes first.
     */
    private final Map<Tensor, Tensor> casts = new LinkedHashMap<>();

    AutocastMode(EagerRuntime runtime) {
        this.runtime = runtime;
    }

    /** Whether operators that are called now are intercepted. */
    public boolean active() {
        return state.enabled() && !excluded;
    }

    /** The type that operators are lowered to. */
    public DType type() {
        return state.type();
    }

    /** The state of now, for {@link #enter} where a region keeps a part of it. */
    public State state() {
        return state;
    }

    /**
     * Begins a region: {@code torch.autocast(...)}.
     *
     * @return the state before, to hand to {@link #exit}
     */
    public State enter(State inside) {
        State before = state;
        state = inside;
        nesting++;
        return before;
    }

    /** Ends a region; the end of the outermost one drops the casts. */
    public void exit(State before) {
        if (--nesting == 0) {
            List<Tensor> dropped = new ArrayList<>(casts.values());
            casts.clear();
            dropped.forEach(runtime::release);
        }
        state = before;
    }

    /**
     * Turns interception off, as while the kernel of an intercepted operator runs, or back on.
     *
     * @return the setting before
     */
    public boolean exclude(boolean value) {
        boolean before = excluded;
        excluded = value;
        return before;
    }

    /** Whether a cast of {@code t} to the lower type is kept: weights, not activations. */
    public boolean keepsCastOf(Tensor t) {
        return state.caching() && t.dtype() == DType.FLOAT32 && t.requiresGrad() && t.isLeaf() && t.base() == null;
    }

    /** The kept cast of a tensor, or {@code null}. */
    public @Nullable Tensor castOf(Tensor t) {
        return casts.get(t);
    }

    /** Adds the state; casts are gone between steps. */
    public void describe(Beginning to) {
        to.constant(state);
        to.flag(excluded);
        to.number(nesting);
        to.unknownIf(!casts.isEmpty());
    }

    /** Keeps a cast until the outermost region ends. */
    public void keep(Tensor source, Tensor cast) {
        casts.put(source, runtime.hold(cast));
    }
}
