package dev.headroom.uncertainty;

import dev.headroom.device.DeviceLine;
import java.util.List;

/**
 * How sure a prediction is.
 *
 * @param lines what device memory at the peak is made of, reserved memory first; the peak is the sum of their bytes
 * @param reserved peak of reserved memory when what is uncertain is at its ends. Of a run that does not get through, what it
 *     would reserve with room to spare
 * @param needed what the allocator must be able to reserve for the run to get through, at these ends; {@code null} where
 *     that is not known
 * @param interval device memory at the peak, or that with room to spare of a run that does not get through
 */
public record Certainty(List<DeviceLine> lines, Span reserved, Span needed, Interval interval) {
    /** The level of intervals. */
    public static final double LEVEL = 0.9;
}
