/**
 * A process's use of one device ({@link dev.headroom.executor.cuda.runtime.CudaContext}): the context and its library
 * handles, CUDA C compiled by NVRTC and kept for the process, modules, and launches of kernels. Operators see none of
 * it; {@code cuda.kernel} and {@code cuda.library} are built on it.
 */
@NullMarked
package dev.headroom.executor.cuda.runtime;

import org.jspecify.annotations.NullMarked;
