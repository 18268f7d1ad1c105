/**
 * The backend for NVIDIA's GPUs: {@link dev.headroom.executor.cuda.CudaBackend} brings the families of kernels
 * together, {@link dev.headroom.executor.cuda.CudaProvider} and {@link dev.headroom.executor.cuda.CudaProbe} find a
 * device. The packages below are layers: {@code driver}, {@code runtime} over it, {@code kernel} with kernels of the
 * project's own, {@code library} with what NVIDIA's libraries compute.
 */
@NullMarked
package dev.headroom.executor.cuda;

import org.jspecify.annotations.NullMarked;
