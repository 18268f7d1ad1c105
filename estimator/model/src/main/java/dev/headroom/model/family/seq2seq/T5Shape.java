package dev.headroom.model.family.seq2seq;

import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.options.ModelOptions;
import dev.headroom.model.graph.DType;
import dev.headroom.model.quant.pass.KeptWhole;
import dev.headroom.model.quant.pass.Preparing;

/**
 * The dimensions of T5, and what is asked of it.
 *
 * @param own the request as the decoder's own masks and caches see it: without a mask, and with a cache that its copy
 *     of the config always asks for, unless layers are checkpointed
 * @param pass takes the caches
 */
record T5Shape(ModelConfig config, Request request, Request own, Pass pass, AttentionShape attention, double dropout) {
    static final String CLASS = "transformers.models.t5.modeling_t5.T5";
    private static final long HEAD = 64;
    private static final double DROPOUT = 0.1;

    static T5Shape of(Request request) {
        ModelConfig c = request.config();
        double dropout = c.number("dropout_rate", DROPOUT);
        long heads = c.size("num_heads", 8);
        long size = c.size("d_kv", HEAD);
        AttentionShape shape = new AttentionShape(
                CLASS + "Attention",
                c.size("d_model"),
                heads,
                heads,
                size,
                size,
                false,
                false,
                1,
                0,
                dropout,
                Masks.NO_WINDOW,
                AttentionShape.FULL,
                true,
                false);
        ModelOptions options =
                request.options().withMask(ModelOptions.Mask.NONE).withUseCache(true);
        Request own = new Request(c, request.scenario().withModel(options), request.step());
        return new T5Shape(c, request, own, new Pass(), shape, dropout);
    }

    /** As the decoder's masks see it: no mask, and nothing to look at. */
    Request uncached() {
        return own;
    }

    /**
     * Whether layers pass rows in float16 to each other, which are cut back where they are infinite: a model that is
     * loaded in it, unless preparing it for training makes its embeddings float32.
     */
    boolean passesHalves() {
        return request.type() == DType.FLOAT16 && !Preparing.casts(request.scenario());
    }

    /** The type of the last linear layer of feed-forward parts, which the library loads in float32 for float16. */
    DType lastType() {
        return KeptWhole.applies(request.scenario(), request.type()) ? DType.FLOAT32 : type();
    }

    long vocabulary() {
        return config.size("vocab_size", 32128);
    }

    /** Of distances between tokens. */
    long buckets() {
        return config.size("relative_attention_num_buckets", 32);
    }

    long width() {
        return attention.width();
    }

    /** Whether layers are checkpointed while training. */
    boolean checkpointed() {
        return request.training() && request.scenario().checkpointing().any();
    }

    /** The type of weights that are not quantised. */
    DType type() {
        boolean widened =
                request.scenario().quant().any() && !request.scenario().quant().noKbitPrepare();
        return widened ? DType.FLOAT32 : request.type();
    }
}
