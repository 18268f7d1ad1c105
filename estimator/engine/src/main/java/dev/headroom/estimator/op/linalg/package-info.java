/** Factorisations, inverses and systems of equations, which cuSOLVER and cuBLAS compute; their workspaces are bounds. */
package dev.headroom.estimator.op.linalg;
