/** NVIDIA's GPUs through the CUDA runtime. */
package dev.headroom.executor.cuda;
