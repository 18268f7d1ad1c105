/**
 * Memory snapshots in PyTorch's own format, as {@code torch.cuda.memory._dump_snapshot} writes them and the page
 * memory_viz shows them. {@link dev.headroom.allocator.snapshot.Snapshot} is the central class: it reads and writes
 * pickles without running any of their code. {@link dev.headroom.allocator.snapshot.SnapshotRecorder} makes snapshots of
 * the simulated allocator, for predictions that can be looked at like recordings. Mirrors
 * {@code torch/csrc/cuda/memory_snapshot.cpp} and the {@code TraceEntry} of {@code c10/cuda/CUDACachingAllocator.h}.
 */
@NullMarked
package dev.headroom.allocator.snapshot;

import org.jspecify.annotations.NullMarked;
