package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.LayerNorm;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.family.part.ParallelLayer;
import dev.headroom.model.family.part.ReturnsMore;
import java.util.ArrayList;
import java.util.List;

/** StableLM (transformers, models/stablelm/modeling_stablelm.py). */
public final class StableLm {
    private static final String CLASS = "transformers.models.stablelm.modeling_stablelm.StableLm";
    private static final double QUARTER = 0.25;

    private StableLm() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        Plain p = new Plain(request, CLASS, 1e-5);
        ModelConfig c = p.config;
        AttentionShape all = AttentionShape.of(c, CLASS + "Attention")
                .withBias(c.flag("use_qkv_bias", false))
                .withOutBias(false);
        AttentionShape shape = all.withTurned((long) (all.size() * Plain.turnedPart(c, QUARTER)));
        Attention.Norms norms = c.flag("qk_layernorm", false) ? Attention.Norms.OWN_HEADS : Attention.Norms.NONE;
        double dropout = c.number("hidden_dropout", 0);
        return p.model(
                p.layers(i -> {
                    Layer attention = Attention.normed(
                            shape,
                            request,
                            p.pass,
                            SelfAttention.Turn.CUT,
                            norms,
                            heads -> new HeadNorms(heads, shape.size()),
                            Attention.Names.layerNormed("o_proj").inTurn());
                    return c.flag("use_parallel_residual", false)
                            ? new ParallelLayer(
                                    CLASS + "DecoderLayer",
                                    ParallelLayer.Order.STABLE_LM,
                                    attention,
                                    p.feedForward(false),
                                    Layers.layerNorm(p.width),
                                    dropout)
                            : new InTurn(attention, p.feedForward(false), p.width, dropout);
                }),
                new Decoder.Shared(p.embeddings(), Layers.layerNorm(p.width), p.rotary(shape), shape),
                false);
    }

    /** {@code StableLmDecoderLayer}, one part after the other. */
    private static final class InTurn extends Layer {
        private final Layer attention;
        private final Layer feedForward;
        private final Layer before;
        private final Layer between;
        private final Layer dropout;

        private InTurn(Layer attention, Layer feedForward, long width, double dropped) {
            this.attention = child("self_attn", attention);
            this.feedForward = child("mlp", feedForward);
            before = child("input_layernorm", Layers.layerNorm(width));
            between = child("post_attention_layernorm", Layers.layerNorm(width));
            dropout = child("dropout", Layers.dropout(dropped));
        }

        @Override
        protected String type() {
            return CLASS + "DecoderLayer";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = self.input_layernorm(x)");
            Value x = s.call(before, in[0]);
            s.line(ReturnsMore.call(attention, "attended"));
            Value[] attended = s.results(attention, x);
            s.line("residual = residual + attended");
            Value residual = s.op("aten.add.Tensor", "self", in[0], "other", attended[0]);
            s.line("fed = self.mlp(self.post_attention_layernorm(residual))");
            Value fed = s.call(feedForward, s.call(between, residual));
            s.line("fed = self.dropout(fed)");
            fed = s.call(dropout, fed);
            s.line("x = residual + fed");
            Value out = s.op("aten.add.Tensor", "self", residual, "other", fed);
            for (int i = 1; i < attended.length; i++) {
                s.hold(attended[i]);
            }
            return out;
        }
    }

    /** {@code StableLmLayerNormPerHead}. */
    private static final class HeadNorms extends Layer {
        private final List<Layer> norms = new ArrayList<>();

        private HeadNorms(long heads, long size) {
            ModuleList list = child("norms", new ModuleList());
            for (int i = 0; i < heads; i++) {
                norms.add(list.add(new LayerNorm(size, false)));
            }
        }

        @Override
        protected String type() {
            return CLASS + "LayerNormPerHead";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("states_per_heads = torch.split(x, 1, dim=1)");
            Value[] heads =
                    s.ops("aten.split.Tensor", norms.size(), Scope.arguments("self", in[0], "split_size", 1, "dim", 1));
            s.line("return torch.cat([norm(x) for norm, x in zip(self.norms, states_per_heads)], dim=1)");
            Value[] normed = new Value[heads.length];
            for (int i = 0; i < heads.length; i++) {
                normed[i] = s.call(norms.get(i), heads[i]);
            }
            return s.op("aten.cat.default", "tensors", normed, "dim", 1);
        }
    }
}
