/**
 * What an operator finds when it runs: {@link dev.headroom.executor.runtime.Eager} brings together the tensors' memory,
 * the backend's kernels, the tape, autocast's state, cuBLAS's workspaces and the random numbers of one run. Everything
 * below it (tensors, kernels, autograd) can be used without it.
 */
@NullMarked
package dev.headroom.executor.runtime;

import org.jspecify.annotations.NullMarked;
