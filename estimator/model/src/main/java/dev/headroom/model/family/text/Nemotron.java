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
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.DecoderLayer;
import dev.headroom.model.graph.DType;
import org.jspecify.annotations.Nullable;

/** Nemotron 4 and Minitron (transformers, models/nemotron/modeling_nemotron.py). */
public final class Nemotron {
    private static final String CLASS = "transformers.models.nemotron.modeling_nemotron.Nemotron";
    private static final double HALF = 0.5;

    private Nemotron() {}

    /** The model that a config describes. */
    public static Layer of(Request request) {
        Plain p = new Plain(request, CLASS, 1e-5);
        ModelConfig c = p.config;
        AttentionShape all = AttentionShape.of(c, CLASS + "Attention");
        AttentionShape shape = all.withTurned((long) (all.size() * Plain.turnedPart(c, HALF)));
        return p.model(
                p.layers(i -> new DecoderLayer(
                        CLASS + "DecoderLayer",
                        Attention.named(
                                shape, request, p.pass, SelfAttention.Turn.PART_TOGETHER, Attention.Names.USUAL),
                        new FeedForward(c, p.width),
                        new Norm(request, p.width),
                        new Norm(request, p.width))),
                new Decoder.Shared(p.embeddings(), new Norm(request, p.width), p.rotary(shape), shape),
                false);
    }

    /** {@code NemotronMLP}: no gate. */
    private static final class FeedForward extends Layer {
        private final Layer up;
        private final Layer down;
        private final Layer activation;

        private FeedForward(ModelConfig c, long width) {
            long hidden = c.size("intermediate_size");
            boolean bias = c.flag("mlp_bias", false);
            up = child("up_proj", Layers.linear(width, hidden, bias));
            down = child("down_proj", Layers.linear(hidden, width, bias));
            activation = child("act_fn", Activations.of(c, "hidden_act", "relu2"));
        }

        @Override
        protected String type() {
            return CLASS + "MLP";
        }

        @Override
        protected Value forward(Scope s, Value... x) {
            s.line("return self.down_proj(self.act_fn(self.up_proj(x)))");
            return s.call(down, s.call(activation, s.call(up, x[0])));
        }
    }

    /** {@code NemotronLayerNorm1P}: its weight counts from 1, and autocast's type is its own. */
    private static final class Norm extends Layer {
        private final long width;
        private final @Nullable DType cast;

        private Norm(Request request, long width) {
            this.width = width;
            cast = request.scenario().precision().amp();
            parameter("weight", width);
            parameter("bias", width);
        }

        @Override
        protected String type() {
            return CLASS + "LayerNorm1P";
        }

        private Value cast(Scope s, Value x) {
            return cast == null ? x : s.op("aten.to.dtype", "self", x, "dtype", cast);
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("args = _cast_if_autocast_enabled(input, shape, self.weight + 1.0, self.bias, self.eps)");
            Value weight = s.op("aten.add.Tensor", "self", s.parameter("weight"), "other", 1.0);
            Value x = cast(s, in[0]);
            Value scale = cast(s, weight);
            Value bias = cast(s, s.parameter("bias"));
            s.use(weight); // the call's arguments live until all are cast
            s.line("return F.layer_norm(*args)");
            long[] sizes = {width};
            return s.outOfAutocast(
                    "aten.layer_norm.default", "input", x, "normalized_shape", sizes, "weight", scale, "bias", bias);
        }
    }
}
