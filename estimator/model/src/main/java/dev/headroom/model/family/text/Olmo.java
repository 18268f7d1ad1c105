package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.RotaryEmbedding;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.DecoderLayer;
import dev.headroom.model.family.part.SandwichLayer;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * OLMo (transformers, models/olmo/modeling_olmo.py), whose norms have no weights, and OLMo 3
 * (models/olmo3/modeling_olmo3.py), which is OLMo 2 with windows in three layers of four.
 */
public final class Olmo {
    private static final String ONE = "transformers.models.olmo.modeling_olmo.Olmo";
    private static final String THREE = "transformers.models.olmo3.modeling_olmo3.Olmo3";
    private static final long WINDOW = 4096;
    private static final long PATTERN = 4;

    private Olmo() {}

    /** The first OLMo. */
    public static Layer one(Request request) {
        Plain p = new Plain(request, ONE, 1e-5);
        ModelConfig c = p.config;
        AttentionShape shape = AttentionShape.of(c, ONE + "Attention");
        @Nullable Double most = c.has("clip_qkv") ? Double.valueOf(c.number("clip_qkv", 0)) : null;
        return p.model(
                p.layers(i -> new DecoderLayer(
                        ONE + "DecoderLayer",
                        Attention.named(
                                shape, request, p.pass, SelfAttention.Turn.WIDE, Attention.Names.USUAL.clipped(most)),
                        p.feedForward(false),
                        new Norm(p.width),
                        new Norm(p.width))),
                new Decoder.Shared(
                        p.embeddings(),
                        new Norm(p.width),
                        new RotaryEmbedding(ONE + "RotaryEmbedding", request, shape.turned(), List.of(), true),
                        shape),
                false);
    }

    /** OLMo 3. */
    public static Layer three(Request request) {
        Plain p = new Plain(request, THREE, 1e-5, true);
        AttentionShape shape = AttentionShape.of(p.config, THREE + "Attention");
        Plain.Kinds kinds = p.kinds(shape, p.config.size("sliding_window", WINDOW), i -> (i + 1) % PATTERN != 0, true);
        List<String> own = kinds.present();
        return p.model(
                p.layers(i -> new SandwichLayer(
                        THREE + "DecoderLayer",
                        new Attention(
                                kinds.shapes().get(i),
                                request,
                                p.pass,
                                SelfAttention.Turn.WIDE,
                                Attention.Norms.WHOLE,
                                p::norm),
                        p.feedForward(false),
                        new SandwichLayer.Norms(null, p.norm(p.width), null, p.norm(p.width)))),
                new Decoder.Shared(
                        p.embeddings(),
                        p.norm(p.width),
                        new RotaryEmbedding(THREE + "RotaryEmbedding", request, shape.turned(), own, true),
                        kinds.windows(),
                        own),
                false);
    }

    /** {@code OlmoLayerNorm}: a layer's norm in float32 that learns nothing. */
    private static final class Norm extends Layer {
        private final long width;

        private Norm(long width) {
            this.width = width;
        }

        @Override
        protected String type() {
            return ONE + "LayerNorm";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("return F.layer_norm(x.to(dtype=torch.float32), self.normalized_shape, None, None).to(orig_dtype)");
            Value wide = s.op("aten.to.dtype", "self", in[0], "dtype", DType.FLOAT32);
            Value out = s.op("aten.layer_norm.default", "input", wide, "normalized_shape", new long[] {width});
            return s.op("aten.to.dtype", "self", out, "dtype", new Argument.TypeOf(in[0].name()));
        }
    }
}
