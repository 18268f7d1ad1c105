/**
 * Matrix products and {@code einsum}, with the workspaces of cuBLAS. Begin with
 * {@link dev.headroom.estimator.op.matmul.Matmul}, to which the other products come down.
 */
@NullMarked
package dev.headroom.estimator.op.matmul;

import org.jspecify.annotations.NullMarked;
