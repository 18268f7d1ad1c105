/**
 * Factorisations, inverses and systems of equations, which cuSOLVER and cuBLAS compute; their workspaces are bounds.
 * {@link dev.headroom.estimator.op.linalg.LinearAlgebraRules} says what each makes of matrices, {@code Factorisations}
 * runs them.
 */
@NullMarked
package dev.headroom.estimator.op.linalg;

import org.jspecify.annotations.NullMarked;
