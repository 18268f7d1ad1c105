package dev.headroom.estimator.parallel.fsdp2;

import java.util.List;

/**
 * Modules that one call of {@code fully_shard} wraps.
 *
 * @param modules their paths
 * @param keeps whether they stay gathered after the forward pass ({@code reshard_after_forward=False})
 */
record UnitPlan(List<String> modules, boolean keeps) {
    /** Each a unit of its own that is divided again as the run asks. */
    static List<UnitPlan> each(List<String> modules) {
        return modules.stream().map(m -> new UnitPlan(List.of(m), false)).toList();
    }
}
