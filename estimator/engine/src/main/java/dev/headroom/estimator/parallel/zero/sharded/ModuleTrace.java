package dev.headroom.estimator.parallel.zero.sharded;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The order in which modules run, forward and backward, once it was recorded (ZeRoTraceMode). */
final class ModuleTrace {
    private enum Mode {
        RECORD,
        COMPLETE,
        INVALID
    }

    private record Use(ShardedParameter parameter, int step) {}

    private record Release(String module, int step) {}

    private static final int NEVER = Integer.MIN_VALUE;

    private final Map<String, List<ShardedParameter>> of;
    private final long reuseDistance;
    private final Map<Release, Set<ShardedParameter>> decided = new HashMap<>();
    private final Map<ShardedParameter, Integer> latest = new HashMap<>();
    private List<String> modules = new ArrayList<>();
    private List<Use> uses = List.of();
    private Deque<Use> queue = new ArrayDeque<>();
    private Mode mode = Mode.INVALID;
    private int step;

    /** What ranks compare with each other when a pass begins, as numbers of entries. */
    private List<Integer> compared = List.of();

    /**
     * @param of each module, its own parameters
     * @param reuseDistance elements within which what is used again stays
     */
    ModuleTrace(Map<String, List<ShardedParameter>> of, long reuseDistance) {
        this.of = of;
        this.reuseDistance = reuseDistance;
    }

    boolean isComplete() {
        return mode == Mode.COMPLETE;
    }

    /** Lengths of the lists that ranks compared at the last {@link #reset}. */
    List<Integer> compared() {
        return compared;
    }

    /** reset_step. */
    void reset() {
        compared = List.of();
        if (mode == Mode.RECORD) {
            uses = new ArrayList<>();
            for (int i = 0; i < modules.size(); i++) {
                for (ShardedParameter p : of.getOrDefault(modules.get(i), List.of())) {
                    uses.add(new Use(p, i));
                }
            }
            compared = List.of(modules.size(), uses.size(), uses.size());
            mode = Mode.COMPLETE;
        } else if (mode == Mode.INVALID) {
            compared = List.of(modules.size());
            mode = Mode.RECORD;
        }
        queue = new ArrayDeque<>(uses);
        latest.clear();
        step = 0;
    }

    /**
     * A module is to run.
     *
     * @return whether it is another than the recorded one, so that the record is worth nothing
     */
    boolean enter(String module) {
        if (mode == Mode.RECORD) {
            modules.add(module);
        }
        if (mode != Mode.COMPLETE || step < modules.size() && modules.get(step).equals(module)) {
            return false;
        }
        mode = Mode.INVALID;
        modules = new ArrayList<>();
        uses = List.of();
        latest.clear();
        queue = new ArrayDeque<>();
        return true;
    }

    void advance() {
        step++;
    }

    /** A module's parameters are taken off the queue. */
    void arrivedAt(List<ShardedParameter> own) {
        Set<ShardedParameter> fresh = new LinkedHashSet<>();
        for (ShardedParameter p : own) {
            if (latest.getOrDefault(p, NEVER) < step) {
                fresh.add(p);
            }
        }
        Set<ShardedParameter> passed = new LinkedHashSet<>();
        while (!queue.isEmpty() && passed.size() < fresh.size()) {
            Use use = queue.remove();
            latest.put(use.parameter(), use.step());
            passed.add(use.parameter());
        }
    }

    /** The next parameters that are not whole, until there are enough of them. */
    Set<ShardedParameter> ahead(long mostElements) {
        Set<ShardedParameter> out = new LinkedHashSet<>();
        long elements = 0;
        while (!queue.isEmpty() && elements < mostElements) {
            Use use = queue.remove();
            ShardedParameter p = use.parameter();
            latest.merge(p, use.step(), Math::max);
            if (p.status() == ShardedParameter.Status.SHARDED && out.add(p)) {
                elements += p.numel();
            }
        }
        return out;
    }

    /** Which of its own parameters a module gives back; decided once for each place in the record. */
    Set<ShardedParameter> unneededAfter(String module, List<ShardedParameter> own) {
        return mode == Mode.COMPLETE
                ? decided.computeIfAbsent(new Release(module, step), k -> decide(own))
                : new LinkedHashSet<>(own);
    }

    /** __params_to_release. */
    private Set<ShardedParameter> decide(List<ShardedParameter> own) {
        Set<ShardedParameter> out = new LinkedHashSet<>();
        for (ShardedParameter p : own) {
            if (!p.persistent() && latest.getOrDefault(p, NEVER) <= step) {
                out.add(p);
            }
        }
        long passed = 0;
        for (int i = step; i < modules.size() && passed < reuseDistance; i++) {
            for (ShardedParameter p : of.getOrDefault(modules.get(i), List.of())) {
                out.remove(p);
                passed += p.numel();
            }
        }
        return out;
    }
}
