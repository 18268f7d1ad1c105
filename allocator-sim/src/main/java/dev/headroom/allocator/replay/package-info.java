/**
 * Plays a recorded trace through the simulated allocator: what would this run have reserved with other settings, on
 * another device, under another version of PyTorch? {@link dev.headroom.allocator.replay.Replay} is the central class
 * and plays a trace once. {@link dev.headroom.allocator.replay.ReplayComparison} plays it under many settings and names
 * the best. The command line shows the results, and tests hold them against what PyTorch's
 * {@code c10/cuda/CUDACachingAllocator.cpp} did with the same requests.
 */
@NullMarked
package dev.headroom.allocator.replay;

import org.jspecify.annotations.NullMarked;
