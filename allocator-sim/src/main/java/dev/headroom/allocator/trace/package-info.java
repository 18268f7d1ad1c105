/**
 * Recorded requests: what a program asked of its allocator, in order, whatever file that was recorded in.
 * {@link dev.headroom.allocator.trace.TraceFile} opens any such file as a {@link dev.headroom.allocator.trace.Trace},
 * which plays itself to a {@link dev.headroom.allocator.trace.TraceSink}. The files are allocator programs and recordings
 * in JSON, or PyTorch's memory snapshots with history. Replays and the command line's {@code replay} are the users.
 */
@NullMarked
package dev.headroom.allocator.trace;

import org.jspecify.annotations.NullMarked;
