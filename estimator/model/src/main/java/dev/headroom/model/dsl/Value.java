package dev.headroom.model.dsl;

/** A tensor of the model that is being written. Made by {@link Scope}. */
public record Value(String name) {}
