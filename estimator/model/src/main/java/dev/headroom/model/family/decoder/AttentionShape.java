package dev.headroom.model.family.decoder;

import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.record.Withers;

/**
 * What self-attention is made of.
 *
 * @param type class name
 * @param width of the hidden states
 * @param heads of queries
 * @param keys heads of keys and values, which groups of query heads share
 * @param size of a head
 * @param turned of a head, the elements that positions turn
 * @param bias of the input projections
 * @param outBias of the output projection
 * @param scale of the scores
 * @param softcap of the scores where they are computed in plain operators; 0 for none
 * @param dropout of the scores while training
 * @param window how many tokens a query sees; {@link Masks#NO_WINDOW} for all before it
 * @param kind of layer, which decides its mask and its rotation
 * @param causal whether a query sees no later key, which the kernel masks by itself where there is no mask
 * @param narrow whether plain operators take shares in the scores' own type, not in float32
 */
@Withers
public record AttentionShape(
        String type,
        long width,
        long heads,
        long keys,
        long size,
        long turned,
        boolean bias,
        boolean outBias,
        double scale,
        double softcap,
        double dropout,
        long window,
        String kind,
        boolean causal,
        boolean narrow)
        implements AttentionShapeWithers.With {
    /** The kind of layers whose queries see all that came before. */
    public static final String FULL = "full_attention";

    /** The kind of layers whose queries see a window. */
    public static final String SLIDING = "sliding_attention";

    /** The kind of layers whose queries see the chunk of the text that they are in. */
    public static final String CHUNKED = "chunked_attention";

    /**
     * From the entries that most configs have.
     *
     * @throws dev.headroom.model.error.UserInputException where heads do not divide
     */
    public static AttentionShape of(ModelConfig c, String type) {
        long width = c.size("hidden_size");
        long heads = c.size("num_attention_heads");
        long keys = c.size("num_key_value_heads", heads);
        c.divided("num_attention_heads", heads, "num_key_value_heads", keys);
        long size =
                c.has("head_dim") ? c.size("head_dim") : c.divided("hidden_size", width, "num_attention_heads", heads);
        boolean bias = c.flag("attention_bias", false);
        return new AttentionShape(
                type,
                width,
                heads,
                keys,
                size,
                size,
                bias,
                bias,
                1 / Math.sqrt((double) size),
                0,
                c.number("attention_dropout", 0),
                Masks.NO_WINDOW,
                FULL,
                true,
                false);
    }

    /** Whether groups of query heads share keys and values. */
    boolean shares() {
        return heads != keys;
    }

    /** The same, of a layer that sees a window. */
    public AttentionShape sliding(long tokens) {
        return withKind(SLIDING).withWindow(tokens);
    }
}
