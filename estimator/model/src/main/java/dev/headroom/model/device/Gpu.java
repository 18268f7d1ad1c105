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
 * @param source where the figures come from
 */
public record Gpu(String name, String title, long memory, int major, int minor, int sms, String source) {
    /** What a card that is sold as so large may lack of it: CUDA reports up to 5 % less. */
    private static final double LACKING = 0.05;

    /** The least that CUDA may report: the known size, or less than a nominal one. */
    public long leastMemory() {
        return source.equals("nominal") ? memory - Math.round(LACKING * memory) : memory;
    }
}
