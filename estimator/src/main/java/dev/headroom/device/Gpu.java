package dev.headroom.device;

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
public record Gpu(String name, String title, long memory, int major, int minor, int sms, String source) {}
