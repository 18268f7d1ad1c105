/**
 * Recorded requests: what a program asked of its allocator, in order. The file may be an allocator program or the
 * recording of a run, both in JSON, or a memory snapshot of PyTorch with history.
 * {@link dev.headroom.allocator.trace.TraceFile} opens any of them as a {@link dev.headroom.allocator.trace.Trace}, the
 * central interface, which plays itself to a {@link dev.headroom.allocator.trace.TraceSink}. The package {@code replay}
 * plays traces through the allocator, and the command line opens them. The names of events are those of PyTorch's
 * {@code TraceEntry} ({@code c10/cuda/CUDACachingAllocator.h}).
 */
@NullMarked
package dev.headroom.allocator.trace;

import org.jspecify.annotations.NullMarked;
