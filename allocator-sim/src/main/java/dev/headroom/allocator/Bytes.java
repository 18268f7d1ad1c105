package dev.headroom.allocator;

/** Units of memory and the rounding of sizes: the one place for arithmetic with bytes. */
public final class Bytes {
    public static final long KIB = 1L << 10;
    public static final long MIB = 1L << 20;
    public static final long GIB = 1L << 30;
    public static final long TIB = 1L << 40;

    private Bytes() {}

    /**
     * How many parts of a size it takes to hold a total: the quotient, rounded up.
     *
     * @param total zero or more
     * @param part more than zero
     */
    public static long ceilDiv(long total, long part) {
        return (total + part - 1) / part;
    }

    /**
     * The smallest multiple of a unit that is not below a size.
     *
     * @param size zero or more
     * @param unit more than zero
     */
    public static long roundUp(long size, long unit) {
        return ceilDiv(size, unit) * unit;
    }
}
