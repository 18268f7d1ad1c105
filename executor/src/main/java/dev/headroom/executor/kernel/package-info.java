/**
 * What a backend computes: kernels by family, over tensors that exist already. Kernels allocate nothing; outputs,
 * temporaries and workspaces are the operators' business, so that a run takes the same memory on every backend.
 */
@NullMarked
package dev.headroom.executor.kernel;

import org.jspecify.annotations.NullMarked;
