package dev.headroom.estimator.parallel.zero.sharded;

import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.runtime.EagerRuntime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Brings parameters together before modules run and lets go of them afterwards
 * (deepspeed/runtime/zero/partitioned_param_coordinator.py). The first pass is recorded; from then on parameters are
 * fetched ahead, and stay where they are used again soon.
 */
final class ParameterCoordinator {
    private final EagerRuntime runtime;
    private final Gatherer gatherer;
    private final ZeroSettings settings;
    private final int stream;
    private final ModuleTrace trace;
    private final OngoingEvents events;
    private final Map<ShardedParameter, Gathering> coming = new LinkedHashMap<>();
    private long whole;

    /**
     * @param of each module, its own parameters
     * @param stream on which they are gathered
     */
    ParameterCoordinator(
            EagerRuntime runtime,
            Gatherer gatherer,
            ZeroSettings settings,
            Map<String, List<ShardedParameter>> of,
            int stream) {
        this.runtime = runtime;
        this.gatherer = gatherer;
        this.settings = settings;
        this.stream = stream;
        this.trace = new ModuleTrace(of, settings.fetching().reuseDistance());
        this.events = new OngoingEvents(runtime.streams());
    }

    ModuleTrace trace() {
        return trace;
    }

    /** A forward pass of the whole model begins (reset_step). */
    void reset() {
        letGoOfComing();
        trace.reset();
        whole = 0;
    }

    private void letGoOfComing() {
        Map<ShardedParameter, Gathering> left = new LinkedHashMap<>(coming);
        coming.clear();
        left.forEach((p, gathering) -> {
            gathering.await();
            letGo(p);
        });
    }

    /** A module runs, forward or backward: its own parameters must be whole (fetch_sub_module). */
    void fetch(String module, List<ShardedParameter> own) {
        if (trace.enter(module)) {
            letGoOfComing();
        }
        ask(own);
        for (ShardedParameter p : own) {
            p.users().add(module);
            Gathering gathering = coming.remove(p);
            if (gathering != null) {
                int before = runtime.streams().use(stream);
                events.limit();
                gathering.await();
                events.add();
                runtime.streams().use(before);
            }
        }
        if (trace.isComplete()) {
            trace.arrivedAt(own);
            prefetch();
        }
        trace.advance();
    }

    private void prefetch() {
        long most = Math.min(
                settings.fetching().mostLive() - whole, settings.fetching().prefetch());
        if (settings.fetching().prefetch() > 0) {
            ask(trace.ahead(most));
        }
    }

    /** __all_gather_params. */
    private void ask(Collection<ShardedParameter> wanted) {
        Set<ShardedParameter> missing = new LinkedHashSet<>();
        for (ShardedParameter p : wanted) {
            if (p.status() == ShardedParameter.Status.SHARDED) {
                missing.add(p);
                whole += p.numel();
            }
        }
        if (missing.isEmpty()) {
            return;
        }
        int before = runtime.streams().use(stream);
        Gathering gathering = gatherer.ask(new ArrayList<>(missing));
        runtime.streams().use(before);
        missing.forEach(p -> coming.put(p, gathering));
    }

    /** A module is done, forward or backward (release_sub_module). */
    void release(String module, List<ShardedParameter> own) {
        Set<ShardedParameter> unneeded = trace.unneededAfter(module, own);
        for (ShardedParameter p : own) {
            p.users().remove(module);
            if (unneeded.contains(p)) {
                letGo(p);
            }
        }
    }

    private void letGo(ShardedParameter p) {
        if (p.status() == ShardedParameter.Status.WHOLE && p.users().isEmpty()) {
            p.letGo();
            whole -= p.numel();
        }
    }

    /** The step begins: nothing is whole any more (release_and_reset_all). */
    void releaseAll(List<ShardedParameter> parameters) {
        for (ShardedParameter p : parameters) {
            Gathering gathering = coming.remove(p);
            if (gathering != null) {
                gathering.await();
            }
            p.users().clear();
            letGo(p);
        }
    }
}
