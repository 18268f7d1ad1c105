package dev.headroom.model.family.generation;

import org.jspecify.annotations.Nullable;

/**
 * Layers of a kind.
 *
 * @param kind their name in configs
 * @param tokens that they see; {@code null} for all
 */
public record Window(String kind, @Nullable Long tokens) {}
