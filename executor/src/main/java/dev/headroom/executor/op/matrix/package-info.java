/**
 * Matrix products: the products that cuBLAS is asked for, and {@code matmul} and {@code linear}, which fold their
 * operands into them as ATen does.
 */
package dev.headroom.executor.op.matrix;
