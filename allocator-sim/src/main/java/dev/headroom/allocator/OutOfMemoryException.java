package dev.headroom.allocator;

import java.util.Locale;
import java.util.Objects;

/** The device, or the allocator's limit, has no room for a request even after all cached memory was returned. */
public final class OutOfMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long requested;
    private final long segment;
    private final long reserved;
    private final long allocated;
    private final long deviceFree;

    OutOfMemoryException(String message, long requested, long segment, long reserved, long allocated, long deviceFree) {
        super(message);
        this.requested = requested;
        this.segment = segment;
        this.reserved = reserved;
        this.allocated = allocated;
        this.deviceFree = deviceFree;
    }

    /** The message that PyTorch would print. */
    @Override
    public String getMessage() {
        return Objects.requireNonNull(super.getMessage());
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
