/**
 * Element-wise operators as rows of tables: a name, the function, its derivative as PyTorch composes it of kernels, and
 * what it saves. {@link dev.headroom.executor.op.pointwise.UnaryFunctions} shows how a row looks; adding a function is
 * a row here and an example in the tests.
 */
@NullMarked
package dev.headroom.executor.op.pointwise;

import org.jspecify.annotations.NullMarked;
