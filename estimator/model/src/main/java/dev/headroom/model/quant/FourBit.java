package dev.headroom.model.quant;

import dev.headroom.allocator.Bytes;

/**
 * How bitsandbytes lays 4-bit weights out in memory (bitsandbytes/functional.py, quantize_4bit): two weights a byte, a
 * scale for each block of weights, and with double quantisation an 8-bit code for each scale and a scale for each block
 * of those.
 */
public final class FourBit {
    /** Weights that share a scale. */
    public static final int BLOCK = 64;

    /** Scales that share a scale of their own. */
    public static final int NESTED_BLOCK = 256;

    /** Entries of the table that 4-bit codes are looked up in. */
    public static final int CODES = 16;

    /** Entries of the table that 8-bit codes of scales are looked up in. */
    public static final int NESTED_CODES = 256;

    private FourBit() {}

    /** Bytes that weights are packed into. */
    public static long packed(long weights) {
        return (weights + 1) / 2;
    }

    /** Scales of weights. */
    public static long scales(long weights) {
        return Bytes.ceilDiv(weights, BLOCK);
    }

    /** Scales of the scales of weights. */
    public static long nestedScales(long weights) {
        return Bytes.ceilDiv(scales(weights), NESTED_BLOCK);
    }
}
