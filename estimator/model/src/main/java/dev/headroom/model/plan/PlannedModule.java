package dev.headroom.model.plan;

/**
 * A module and what a plan makes of it.
 *
 * @param path such as {@code layers.0.attention.wq}
 */
public record PlannedModule(String path, ModuleStyle style) {}
