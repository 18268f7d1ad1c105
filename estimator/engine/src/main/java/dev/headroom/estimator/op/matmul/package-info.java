/** Matrix products and {@code einsum}, with the workspaces of cuBLAS. */
@NullMarked
package dev.headroom.estimator.op.matmul;

import org.jspecify.annotations.NullMarked;
