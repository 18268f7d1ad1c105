/**
 * Memory snapshots in PyTorch's own format, as {@code torch.cuda.memory._dump_snapshot} writes them and its page
 * memory_viz shows them. {@link dev.headroom.allocator.snapshot.Snapshot} is the central class. It reads and writes
 * pickles, and refuses those that would run code. {@link dev.headroom.allocator.snapshot.SnapshotRecorder} makes
 * snapshots of the simulated allocator, so that a prediction can be looked at like a recording; the estimator writes
 * them. Mirrors {@code torch/csrc/cuda/memory_snapshot.cpp}.
 */
@NullMarked
package dev.headroom.allocator.snapshot;

import org.jspecify.annotations.NullMarked;
