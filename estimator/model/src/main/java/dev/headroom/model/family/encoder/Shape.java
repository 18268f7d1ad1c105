package dev.headroom.model.family.encoder;

import dev.headroom.model.family.config.ModelConfig;

/**
 * The dimensions of an encoder of BERT's kind.
 *
 * @param prefix of its class names
 * @param width of the hidden states
 * @param heads of attention
 * @param inner width of the feed-forward part
 * @param dropout of hidden states
 * @param attentionDropout of attention's weights
 */
record Shape(String prefix, long width, long heads, long inner, double dropout, double attentionDropout) {
    /** The same of another width. */
    Shape withWidth(long other) {
        return new Shape(prefix, other, heads, inner, dropout, attentionDropout);
    }

    static Shape of(ModelConfig c, String prefix) {
        long width = c.size("hidden_size");
        long heads = c.size("num_attention_heads");
        c.divided("hidden_size", width, "num_attention_heads", heads);
        return new Shape(
                prefix,
                width,
                heads,
                c.size("intermediate_size"),
                c.number("hidden_dropout_prob", 0.1),
                c.number("attention_probs_dropout_prob", 0.1));
    }
}
