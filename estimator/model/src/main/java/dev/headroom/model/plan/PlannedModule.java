package dev.headroom.model.plan;

import org.jspecify.annotations.Nullable;

/**
 * A module and what a plan makes of it.
 *
 * @param path such as {@code layers.0.attention.wq}
 */
public record PlannedModule(String path, @Nullable ModuleStyle style) {}
