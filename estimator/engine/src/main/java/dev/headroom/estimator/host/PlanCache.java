package dev.headroom.estimator.host;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The plans that convolutions were run with: each thread remembers its own (ATen/native/cudnn/Conv_v8.cpp, the
 * thread-local benchmark_cache).
 */
public final class PlanCache {
    private final Map<Object, Long> workspaces = new HashMap<>();

    PlanCache() {}

    /** Bytes of the workspace of a problem's plan, or {@code null} when it has none yet. */
    public @Nullable Long find(Object problem) {
        return workspaces.get(problem);
    }

    /** How many there are: there is one at most of each problem, and none goes. */
    int size() {
        return workspaces.size();
    }

    /** Notes the plan of a problem. */
    public void remember(Object problem, long workspace) {
        workspaces.put(problem, workspace);
    }
}
