package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.Attention;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Decoder;
import dev.headroom.model.family.decoder.Entry;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.DecoderLayer;

/** StarCoder 2: layer norms, dropouts and maybe a window (transformers, models/starcoder2/modeling_starcoder2.py). */
public final class StarCoder2 {
    private static final String CLASS = "transformers.models.starcoder2.modeling_starcoder2.Starcoder2";

    private StarCoder2() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        Plain p = new Plain(request, CLASS, 1e-5);
        ModelConfig c = p.config;
        boolean bias = c.flag("use_bias", true);
        AttentionShape full =
                AttentionShape.of(c, CLASS + "Attention").withBias(bias).withOutBias(bias);
        AttentionShape shape = c.has("sliding_window") ? full.sliding(c.size("sliding_window")) : full;
        Attention.Names names = Attention.Names.dropping(c.number("residual_dropout", 0));
        return p.model(
                p.layers(i -> new DecoderLayer(
                        CLASS + "DecoderLayer",
                        Attention.named(shape, request, p.pass, SelfAttention.Turn.WHOLE, names),
                        new FeedForward(c, p.width, bias),
                        Layers.layerNorm(p.width),
                        Layers.layerNorm(p.width))),
                new Decoder.Shared(p.embeddings(), Layers.layerNorm(p.width), p.rotary(shape), shape)
                        .with(Entry.dropped(c.number("embedding_dropout", 0))),
                true);
    }

    /** {@code Starcoder2MLP}. */
    private static final class FeedForward extends Layer {
        private final Layer in;
        private final Layer out;
        private final Layer activation;
        private final double dropout;

        private FeedForward(ModelConfig c, long width, boolean bias) {
            long hidden = c.size("intermediate_size");
            in = child("c_fc", Layers.linear(width, hidden, bias));
            out = child("c_proj", Layers.linear(hidden, width, bias));
            activation = child("act", Activations.of(c, "hidden_act", "gelu_pytorch_tanh"));
            dropout = c.number("residual_dropout", 0);
        }

        @Override
        protected String type() {
            return CLASS + "MLP";
        }

        @Override
        protected Value forward(Scope s, Value... x) {
            s.line("x = self.c_fc(x)");
            Value h = s.call(in, x[0]);
            s.line("x = self.act(x)");
            h = s.call(activation, h);
            s.line("x = self.c_proj(x)");
            h = s.call(out, h);
            s.line("x = nn.functional.dropout(x, p=self.residual_dropout, training=self.training)");
            return s.op("aten.dropout.default", "input", h, "p", dropout, "train", s.training());
        }
    }
}
