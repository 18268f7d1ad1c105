package dev.headroom.model.scenario;

import dev.headroom.allocator.address.Placement;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.record.Withers;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The card, and what of its memory the run may use.
 *
 * @param gpu {@code null} when none was named; decides kernels and workspaces too
 * @param memory total device bytes, or {@code null} for the card's own
 * @param inUse bytes taken by others
 * @param limit bytes that the allocator may reserve, or {@code null}
 * @param placement where segments lie; other than a driver's only for what was recorded without one
 */
@Withers
public record DeviceBudget(
        @Nullable Gpu gpu,
        @Nullable Long memory,
        long inUse,
        @Nullable Long limit,
        Placement placement) implements DeviceBudgetWithers.With {
    /** No card is named, and there is room for anything. */
    public static final DeviceBudget UNKNOWN = new DeviceBudget(null, null, 0, null);

    /** Of a device with NVIDIA's driver. */
    public DeviceBudget(@Nullable Gpu gpu, @Nullable Long memory, long inUse, @Nullable Long limit) {
        this(gpu, memory, inUse, limit, Placement.DRIVER);
    }

    /** Any card with room for anything, which places segments alike. */
    public DeviceBudget unknown() {
        return UNKNOWN.withPlacement(placement);
    }

    /** The whole of a card. */
    public static DeviceBudget of(Gpu gpu) {
        return new DeviceBudget(gpu, null, 0, null);
    }

    /** The card, for a run that is known to name one. */
    public Gpu givenGpu() {
        return Objects.requireNonNull(gpu, "a card");
    }

    /** Bytes of device memory, or {@code null} when no device was named. */
    public @Nullable Long total() {
        if (memory != null) {
            return memory;
        }
        return gpu == null ? null : Long.valueOf(gpu.memory());
    }
}
