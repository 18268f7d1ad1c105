package dev.headroom.model.units;

import dev.headroom.allocator.Bytes;
import java.util.Locale;

/** Bytes for people, in PyTorch's binary units. */
public final class Mib {
    private static final double MIB = Bytes.MIB;
    private static final double GIB = Bytes.GIB;

    private Mib() {}

    /** As a number of MiB. */
    public static double of(long bytes) {
        return bytes / MIB;
    }

    /** {@code 97.7}: MiB without the unit, for tables. */
    public static String number(long bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / MIB);
    }

    /** {@code 97.7 MiB} or {@code 18.32 GiB}, as PyTorch's messages write sizes. */
    public static String text(long bytes) {
        return Math.abs(bytes) < GIB
                ? String.format(Locale.ROOT, "%.2f MiB", bytes / MIB)
                : String.format(Locale.ROOT, "%.2f GiB", bytes / GIB);
    }

    /** {@code 712 to 960 MiB} or {@code 3.23 to 4.18 GiB}: bounds that are not meant to the byte. */
    public static String range(long low, long high) {
        if (low < GIB && high < GIB) {
            return String.format(Locale.ROOT, "%.0f to %.0f MiB", low / MIB, high / MIB);
        }
        return low < GIB
                ? String.format(Locale.ROOT, "%.0f MiB to %.2f GiB", low / MIB, high / GIB)
                : String.format(Locale.ROOT, "%.2f to %.2f GiB", low / GIB, high / GIB);
    }
}
