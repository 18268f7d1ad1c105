/**
 * A process's use of one device ({@link dev.headroom.executor.cuda.runtime.CudaContext}): the context and its library
 * handles, CUDA C compiled by NVRTC and kept for the process, modules, and launches of kernels.
 */
@NullMarked
package dev.headroom.executor.cuda.runtime;

import org.jspecify.annotations.NullMarked;
