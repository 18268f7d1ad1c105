package dev.headroom.allocator;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The device, or the allocator's limit, has no room for a request even after all cached memory was returned. */
public final class OutOfMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long requested;
    private final long segment;
    private final long reserved;
    private final long allocated;
    private final long deviceFree;
    private final long deviceTotal;
    private final long allowed;

    /** @param message {@code null} for the usual one */
    OutOfMemoryException(@Nullable String message, AllocatorCore core, long requested, long segment) {
        super(message);
        this.requested = requested;
        this.segment = segment;
        this.reserved = core.reserved;
        this.allocated = core.stats.allocatedBytes().current();
        this.deviceFree = core.memory.free();
        this.deviceTotal = core.memory.total();
        this.allowed = core.allowed;
    }

    /**
     * The message that PyTorch would print. The usual one is put together when somebody reads it: searches for the
     * least memory run out of it many times and read none.
     */
    @Override
    public String getMessage() {
        String given = super.getMessage();
        return given != null ? given : usual();
    }

    private String usual() {
        return "CUDA out of memory. Tried to allocate " + formatSize(segment)
                + ". GPU 0 has a total capacity of " + formatSize(deviceTotal)
                + " of which " + formatSize(deviceFree) + " is free. "
                + (allowed == Long.MAX_VALUE ? "" : formatSize(allowed) + " allowed; ")
                + "Of the allocated memory " + formatSize(allocated)
                + " is allocated by PyTorch, and "
                + formatSize(reserved - allocated)
                + " is reserved by PyTorch but unallocated.";
    }

    /** Bytes that the program asked for. */
    public long requested() {
        return requested;
    }

    /** Bytes of the segment that the allocator asked of the driver: PyTorch's "Tried to allocate". */
    public long segment() {
        return segment;
    }

    /** Bytes that the allocator held from the driver at that moment. */
    public long reserved() {
        return reserved;
    }

    /** Bytes in blocks handed out at that moment. */
    public long allocated() {
        return allocated;
    }

    /** Bytes that the device had free at that moment. */
    public long deviceFree() {
        return deviceFree;
    }

    /** A size as PyTorch prints it (c10 {@code format_size}). */
    static String formatSize(long bytes) {
        if (bytes <= Bytes.KIB) {
            return bytes + " bytes";
        }
        if (bytes <= Bytes.MIB) {
            return String.format(Locale.ROOT, "%.2f KiB", bytes / (double) Bytes.KIB);
        }
        if (bytes <= Bytes.GIB) {
            return String.format(Locale.ROOT, "%.2f MiB", bytes / (double) Bytes.MIB);
        }
        return String.format(Locale.ROOT, "%.2f GiB", bytes / (double) Bytes.GIB);
    }
}
