package dev.headroom.validation.generate;

import java.util.List;

/**
 * A wish for a layer, which {@link Fitting} makes fit where it stands or passes over.
 *
 * @param size of what it makes, in whatever unit the kind has
 * @param option bits of choices
 * @param parts inner layers, of kinds that have such
 */
public record Block(Kind kind, int size, int option, List<List<Block>> parts) {
    /** What to add. The simplest come first. */
    public enum Kind {
        LINEAR,
        ACTIVATION,
        NORM,
        DROPOUT,
        SOFTMAX,
        CONV,
        POOL,
        UPSAMPLE,
        CONV_TRANSPOSE,
        FLATTEN,
        TOKENS,
        IMAGE,
        REDUCE,
        CROP,
        SPREAD,
        HALVES,
        ATTENTION,
        RECURRENT,
        RESIDUAL,
        GATE,
        REPEAT,
        CAT,
        ADD
    }

    /** Whether a bit of the options is set. */
    boolean is(int bit) {
        return (option >> bit & 1) != 0;
    }

    /** One of {@code n} choices, by the options from a bit on. */
    int choice(int bit, int n) {
        return Math.floorMod(option >> bit, n);
    }

    /** The first part; empty when there is none. */
    List<Block> body() {
        return parts.isEmpty() ? List.of() : parts.get(0);
    }
}
