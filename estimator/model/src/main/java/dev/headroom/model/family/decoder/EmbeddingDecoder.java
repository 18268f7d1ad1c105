package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;

/** A decoder whose first module embeds tokens, and whose class writes out all that follows. */
public abstract class EmbeddingDecoder extends Layer implements TextModel {
    private final String type;
    private final Layer tokens;

    /**
     * Declares the first module.
     *
     * @param type class name
     * @param name of the module
     * @param tokens embeds them
     */
    protected EmbeddingDecoder(String type, String name, Layer tokens) {
        this.type = type;
        this.tokens = child(name, tokens);
    }

    @Override
    public final Layer embeddings() {
        return tokens;
    }

    @Override
    protected final String type() {
        return type;
    }
}
