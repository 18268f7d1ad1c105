package dev.headroom.estimator.runtime;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The plans that convolutions were run with: each thread remembers its own (ATen/native/cudnn/Conv_v8.cpp, the
 * thread-local benchmark_cache).
 */
public final class PlanCache {
    private final List<Map<Object, Long>> ofThread = List.of(new HashMap<>(), new HashMap<>());

    /** Bytes of the workspace of a problem's plan, or {@code null} when it has none yet. */
    public Long find(boolean backwardThread, Object problem) {
        return ofThread.get(backwardThread ? 1 : 0).get(problem);
    }

    /** Notes the plan of a problem. */
    public void remember(boolean backwardThread, Object problem, long workspace) {
        ofThread.get(backwardThread ? 1 : 0).put(problem, workspace);
    }
}
