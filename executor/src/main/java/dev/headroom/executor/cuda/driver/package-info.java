/**
 * NVIDIA's libraries and driver as plain calls: finding and loading them ({@link
 * dev.headroom.executor.cuda.driver.CudaLibraries}), devices, memory for the caching allocator ({@link
 * dev.headroom.executor.cuda.driver.CudaMemory}), transfers. Every call's status goes through {@link
 * dev.headroom.executor.cuda.driver.CudaStatus}, which makes an exception of it that says what to do.
 */
@NullMarked
package dev.headroom.executor.cuda.driver;

import org.jspecify.annotations.NullMarked;
