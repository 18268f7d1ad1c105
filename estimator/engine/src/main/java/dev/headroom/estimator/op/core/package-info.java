/**
 * What families share: views, copies, element-wise arithmetic, reductions with their scratch, joining, and the casts of
 * automatic mixed precision. {@code Unary} and {@code Binary} are rows of tables: what an operator keeps and what its
 * gradient's formula allocates.
 */
@NullMarked
package dev.headroom.estimator.op.core;

import org.jspecify.annotations.NullMarked;
