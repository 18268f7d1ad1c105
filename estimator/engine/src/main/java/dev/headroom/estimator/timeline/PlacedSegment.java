package dev.headroom.estimator.timeline;

import dev.headroom.allocator.Segment;
import java.util.List;

/**
 * A segment at a moment, with what lies in it.
 *
 * @param segment as the allocator has it
 * @param tensors the tensor in each of its blocks, in the same order; {@code null} in free ones
 */
public record PlacedSegment(Segment segment, List<LiveTensor> tensors) {}
