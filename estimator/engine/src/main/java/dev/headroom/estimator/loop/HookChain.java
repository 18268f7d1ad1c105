package dev.headroom.estimator.loop;

import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The hooks of a loop, in order; where they wrap something, a later one is around the earlier ones. */
public final class HookChain {
    private final List<LoopHook> hooks;

    HookChain(List<LoopHook> first, List<LoopHook> then) {
        hooks = new ArrayList<>(first);
        hooks.addAll(then);
    }

    /** Tells all. */
    public void each(Consumer<LoopHook> call) {
        hooks.forEach(call);
    }

    boolean any(Predicate<LoopHook> asked) {
        return hooks.stream().anyMatch(asked);
    }

    /** The loop that a library brings; {@code null} for none. */
    @Nullable
    LibraryLoop library() {
        return hooks.stream()
                .map(LoopHook::library)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Tells all; see {@link LoopHook#lookedForInfinities}. */
    void lookedForInfinities(Tensor foundInf) {
        each(hook -> hook.lookedForInfinities(foundInf));
    }

    /** As the one hook that knows other ranks gathers it; {@code null} for none. */
    @Nullable
    Tensor gather(Tensor own) {
        return hooks.stream()
                .map(hook -> hook.gather(own))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** The optimizer's parameter groups: one, unless a hook divides them. */
    List<List<Tensor>> parameterGroups(List<Tensor> trained) {
        return hooks.stream()
                .map(hook -> hook.parameterGroups(trained))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(List.of(trained));
    }

    /** What the hooks make of something. */
    <T> T around(T own, BiFunction<LoopHook, T, T> wrap) {
        T out = own;
        for (LoopHook hook : hooks) {
            out = wrap.apply(hook, out);
        }
        return out;
    }

    /** Runs what the hooks make of some work. */
    void wrapped(Runnable own, BiConsumer<LoopHook, Runnable> wrap) {
        around(own, (hook, inner) -> () -> wrap.accept(hook, inner)).run();
    }

    /** The same with an earlier hook around the later ones: the script's own work comes before a wrapper's. */
    void wrappedFirstOutermost(Runnable own, BiConsumer<LoopHook, Runnable> wrap) {
        List<LoopHook> reversed = new ArrayList<>(hooks);
        Collections.reverse(reversed);
        new HookChain(reversed, List.of()).wrapped(own, wrap);
    }
}
