package dev.headroom.estimator.parallel.layout;

import dev.headroom.model.graph.DType;

/**
 * A tensor as far as dividing it takes: only tensors of one type can share a flat buffer.
 *
 * @param bytes of its elements
 */
public record Piece(DType type, long bytes) {}
