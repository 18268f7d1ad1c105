package dev.headroom.model.graph;

/** A training loop that comes with the models that it trains, in place of the usual one; see {@code model.script}. */
public interface OwnLoop {}
