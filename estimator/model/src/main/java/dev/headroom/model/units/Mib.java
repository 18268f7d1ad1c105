package dev.headroom.model.units;

import dev.headroom.allocator.Bytes;

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
        return Decimals.fixed(bytes / MIB, 1);
    }

    /** {@code 97.7 MiB} or {@code 18.32 GiB}, as PyTorch's messages write sizes. */
    public static String text(long bytes) {
        return Math.abs(bytes) < GIB
                ? Decimals.fixed(bytes / MIB, 2) + " MiB"
                : Decimals.fixed(bytes / GIB, 2) + " GiB";
    }

    /** {@code 712 to 960 MiB} or {@code 3.23 to 4.18 GiB}: bounds that are not meant to the byte. */
    public static String range(long low, long high) {
        if (low < GIB && high < GIB) {
            return Decimals.fixed(low / MIB, 0) + " to " + Decimals.fixed(high / MIB, 0) + " MiB";
        }
        String least = low < GIB ? Decimals.fixed(low / MIB, 0) + " MiB" : Decimals.fixed(low / GIB, 2);
        return least + " to " + Decimals.fixed(high / GIB, 2) + " GiB";
    }
}
