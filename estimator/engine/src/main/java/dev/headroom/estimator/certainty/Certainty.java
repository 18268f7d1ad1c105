package dev.headroom.estimator.certainty;

import dev.headroom.model.device.DeviceLine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How sure a prediction is.
 *
 * @param lines what device memory at the peak is made of, reserved memory first; the peak is the sum of their bytes
 *     but for managed memory, the last
 * @param reserved peak of reserved memory when what is uncertain is at its ends. Of a run that does not get through,
 *     what it would reserve with room to spare
 * @param needed what the allocator must be able to reserve for the run to get through, at these ends; {@code null}
 *     where that is not known
 * @param interval device memory at the peak, or that with room to spare of a run that does not get through
 */
public record Certainty(
        List<DeviceLine> lines, Span reserved, @Nullable Span needed, Interval interval) {
    /** The level of intervals. */
    public static final double LEVEL = 0.9;

    /**
     * What is left for the allocator.
     *
     * @param beside the other lines of the device
     * @param least of the device that the process may take
     * @param most of the device that the process may take
     */
    public static Span free(List<DeviceLine> beside, long least, long most) {
        return new Span(
                least - beside.stream().mapToLong(DeviceLine::high).sum(),
                most - beside.stream().mapToLong(DeviceLine::low).sum());
    }
}
