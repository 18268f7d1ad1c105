package dev.headroom.model.family.statespace;

import dev.headroom.model.family.config.ModelConfig;

/**
 * What a mixer of Mamba 2 is made of.
 *
 * @param width of the hidden states
 * @param inner elements of all heads
 * @param heads that have a rate each
 * @param size of a head
 * @param groups of heads that share what chooses their states
 * @param states of an element
 * @param chunk tokens that are computed together
 * @param kernel tokens that the convolution sees
 */
record ChunkShape(long width, long inner, long heads, long size, long groups, long states, long chunk, long kernel) {
    private static final long WIDTH = 4096;

    static ChunkShape of(ModelConfig c) {
        long width = c.size("hidden_size", WIDTH);
        long heads = c.size("num_heads", 128);
        long groups = c.size("n_groups", 8);
        c.divided("num_heads", heads, "n_groups", groups);
        return new ChunkShape(
                width,
                c.size("expand", 2) * width,
                heads,
                c.size("head_dim", 64),
                groups,
                c.size("state_size", 128),
                c.size("chunk_size", 256),
                c.size("conv_kernel", 4));
    }

    /** Channels of the convolution. */
    long channels() {
        return inner + 2 * groups * states;
    }
}
