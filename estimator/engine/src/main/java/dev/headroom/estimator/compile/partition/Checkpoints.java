package dev.headroom.estimator.compile.partition;

import dev.headroom.estimator.compile.trace.Value;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What checkpoints inside of the model say of values ({@code CheckpointPolicy}): all of their own is computed again,
 * but where one begins right behind another, what it is given is kept ({@code cleanup_recompute_tags}).
 */
final class Checkpoints {
    private final Set<Value> again = new HashSet<>();
    private final Set<Value> saved = new HashSet<>();

    Checkpoints(Program program, Map<Value, List<Value>> users) {
        for (Value v : program.nodes()) {
            if (v.region() > 0 && !v.isPlaceholder()) {
                boolean handsOn = Objects.requireNonNull(users.get(v)).stream().anyMatch(u -> u.region() > v.region());
                (handsOn ? saved : again).add(v);
            }
        }
    }

    /** Whether it must be computed again. */
    boolean recomputes(Value v) {
        return again.contains(v);
    }

    /** Whether it must not be. */
    boolean saves(Value v) {
        return saved.contains(v);
    }
}
