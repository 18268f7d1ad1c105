/**
 * Operators that PyTorch writes as calls of others, each of which records itself for the backward pass
 * (CompositeImplicitAutograd). {@link dev.headroom.executor.op.composite.Calls} calls them by name; adding one is a
 * line of a table here and an example in the tests.
 */
@NullMarked
package dev.headroom.executor.op.composite;

import org.jspecify.annotations.NullMarked;
