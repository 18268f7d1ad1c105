package dev.headroom.model.scenario;

import dev.headroom.model.device.Gpu;
import dev.headroom.model.record.Withers;

/**
 * The card, and what of its memory the run may use.
 *
 * @param gpu {@code null} when none was named; decides kernels and workspaces too
 * @param memory total device bytes, or {@code null} for the card's own
 * @param inUse bytes taken by others
 * @param limit bytes that the allocator may reserve, or {@code null}
 */
@Withers
public record DeviceBudget(Gpu gpu, Long memory, long inUse, Long limit) implements DeviceBudgetWithers.With {
    /** No card is named, and there is room for anything. */
    public static final DeviceBudget UNKNOWN = new DeviceBudget(null, null, 0, null);

    /** The whole of a card. */
    public static DeviceBudget of(Gpu gpu) {
        return new DeviceBudget(gpu, null, 0, null);
    }

    /** Bytes of device memory, or {@code null} when no device was named. */
    public Long total() {
        if (memory != null) {
            return memory;
        }
        return gpu == null ? null : Long.valueOf(gpu.memory());
    }
}
