/**
 * PyTorch's CUDA caching allocator as a simulation, without a GPU: the policy of
 * {@code c10/cuda/CUDACachingAllocator.cpp}, decision by decision. {@link dev.headroom.allocator.CachingAllocator} is
 * the central class. It obeys {@link dev.headroom.allocator.AllocatorSettings}, takes memory from a
 * {@link dev.headroom.allocator.DeviceMemory} and counts in {@link dev.headroom.allocator.AllocatorStatistics} under
 * PyTorch's names. The estimator allocates what it predicts from a simulated device; the executor allocates real memory
 * by the same rules.
 *
 * <p>Classes that are not public are parts of the allocator and share its blocks. They stay in one package so that
 * nobody else can change a block.
 */
@NullMarked
package dev.headroom.allocator;

import org.jspecify.annotations.NullMarked;
