/**
 * A model's forward pass as a graph of ATen calls. {@link Graph} is the central record: nodes in execution order over
 * named values, whose sizes and strides may be expressions ({@link SymExpr}) over symbols such as the batch size;
 * {@link SymbolBinding} gives the symbols their numbers. {@link Shapes} is PyTorch's arithmetic on sizes and strides.
 * Everything here is immutable and knows nothing of memory.
 */
@NullMarked
package dev.headroom.model.graph;

import org.jspecify.annotations.NullMarked;
