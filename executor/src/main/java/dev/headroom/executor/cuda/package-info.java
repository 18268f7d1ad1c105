/**
 * NVIDIA's GPUs: finding and loading CUDA's libraries ({@link dev.headroom.executor.cuda.CudaLibraries}), a process's use
 * of one device ({@link dev.headroom.executor.cuda.CudaContext}), its memory for the caching allocator
 * ({@link dev.headroom.executor.cuda.CudaMemory}), and kernels in CUDA C
 * ({@link dev.headroom.executor.cuda.KernelSource}); over them the backend
 * ({@link dev.headroom.executor.cuda.CudaBackend}) with a class for each family of kernels. Every call's status goes through
 * {@link dev.headroom.executor.cuda.CudaStatus}.
 */
package dev.headroom.executor.cuda;
