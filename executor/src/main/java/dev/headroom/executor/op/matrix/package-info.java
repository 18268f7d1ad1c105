/**
 * Matrix products: the products that cuBLAS is asked for, and {@code matmul} and {@code linear}, which fold their
 * operands into them as ATen does. Begin with {@link dev.headroom.executor.op.matrix.Matmul}.
 */
@NullMarked
package dev.headroom.executor.op.matrix;

import org.jspecify.annotations.NullMarked;
