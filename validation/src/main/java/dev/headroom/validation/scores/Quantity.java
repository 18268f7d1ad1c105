package dev.headroom.validation.scores;

import java.util.Locale;

/** What of memory is compared. */
public enum Quantity {
    /** Bytes of live blocks. */
    ALLOCATED,
    /** Bytes of segments that the allocator holds. */
    RESERVED,
    /** Bytes of the device that the process takes, as NVML and nvidia-smi show them. */
    DEVICE;

    /** The key in JSON and the word in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
