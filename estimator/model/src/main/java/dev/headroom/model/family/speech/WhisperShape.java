package dev.headroom.model.family.speech;

import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;

/**
 * What the parts of Whisper share.
 *
 * @param pass that keeps what caches hold
 */
record WhisperShape(Request request, Pass pass, long width, double dropout) {
    static final String CLASS = "transformers.models.whisper.modeling_whisper.Whisper";

    private static final int HEADS = 6;
    private static final int INNER = 1536;

    static WhisperShape of(Request request) {
        ModelConfig c = request.config();
        return new WhisperShape(request, new Pass(), c.size("d_model", 384), c.number("dropout", 0));
    }

    ModelConfig config() {
        return request.config();
    }

    /** @param side {@code encoder} or {@code decoder} */
    AttentionShape attention(String side) {
        long heads = config().size(side + "_attention_heads", HEADS);
        long size = config().divided("d_model", width, side + "_attention_heads", heads);
        return new AttentionShape(
                CLASS + "Attention",
                width,
                heads,
                heads,
                size,
                size,
                true,
                true,
                1,
                0,
                config().number("attention_dropout", 0),
                Masks.NO_WINDOW,
                AttentionShape.FULL,
                side.equals("decoder"),
                true);
    }

    /** Of the feed-forward parts of a side. */
    long inner(String side) {
        return config().size(side + "_ffn_dim", INNER);
    }
}
