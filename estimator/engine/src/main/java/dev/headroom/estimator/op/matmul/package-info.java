/** Matrix products and {@code einsum}, with the workspaces of cuBLAS. */
package dev.headroom.estimator.op.matmul;
