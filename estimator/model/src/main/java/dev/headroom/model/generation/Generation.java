package dev.headroom.model.generation;

import dev.headroom.model.record.Withers;

/**
 * What {@code generate()} is asked for.
 *
 * @param tokens new ones a sequence, chosen greedily; 0 for a run that generates nothing
 * @param cache where keys and values of earlier tokens are kept
 */
@Withers
public record Generation(int tokens, Cache cache) implements GenerationWithers.With {
    /** No tokens are generated. */
    public static final Generation NONE = new Generation(0, Cache.DYNAMIC);

    /** Caches of transformers. */
    public enum Cache {
        /** Grows with every token: the old one and the new one of a layer are there together for a moment. */
        DYNAMIC,
        /** Has room for all tokens from the first on. */
        STATIC
    }

    /** Whether the run generates. */
    public boolean any() {
        return tokens > 0;
    }
}
