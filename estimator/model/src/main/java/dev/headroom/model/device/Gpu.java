package dev.headroom.model.device;

/**
 * A graphics card.
 *
 * @param name as on the command line, such as {@code rtx-3090}
 * @param title as the vendor writes it
 * @param memory total bytes that CUDA reports ({@code totalGlobalMem}), or the nominal size where that is not known
 * @param major compute capability
 * @param minor compute capability
 * @param sms streaming multiprocessors
 * @param l2 bytes of the L2 cache
 * @param source where the figures come from
 */
public record Gpu(String name, String title, long memory, int major, int minor, int sms, long l2, String source) {
    /** What a card that is sold as so large may lack of it: CUDA reports up to 5 % less. */
    private static final double LACKING = 0.05;

    /** A card whose cache is as large as usual. */
    public Gpu(String name, String title, long memory, int major, int minor, int sms, String source) {
        this(name, title, memory, major, minor, sms, usualL2(major, minor, sms), source);
    }

    /**
     * Bytes of the L2 cache of a card that is not catalogued (NVIDIA's architecture papers of Volta, Turing, Ampere,
     * Ada, Hopper and Blackwell).
     */
    public static long usualL2(int major, int minor, int sms) {
        int few = 64;
        long mebibytes =
                switch (10 * major + minor) {
                    case 80 -> 40;
                    case 86 -> sms < few ? 3 : 6;
                    case 89 -> sms < few ? 32 : 72;
                    case 90 -> 60;
                    case 100, 103, 120 -> 96;
                    default -> 6;
                };
        return mebibytes << 20;
    }

    /** The least that CUDA may report: the known size, or less than a nominal one. */
    public long leastMemory() {
        return source.equals("nominal") ? memory - Math.round(LACKING * memory) : memory;
    }
}
