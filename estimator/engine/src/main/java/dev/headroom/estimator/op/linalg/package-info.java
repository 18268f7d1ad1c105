/**
 * Factorisations, inverses and systems of equations, which cuSOLVER and cuBLAS compute; their workspaces are bounds.
 */
@NullMarked
package dev.headroom.estimator.op.linalg;

import org.jspecify.annotations.NullMarked;
