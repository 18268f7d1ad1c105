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
import dev.headroom.model.family.decoder.Scores;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.part.ParallelLayer;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import java.util.List;

/**
 * Command R and Aya (transformers, models/cohere/modeling_cohere.py), and Command R7B and A, whose sliding layers alone
 * know positions (models/cohere2/modeling_cohere2.py).
 */
public final class Cohere {
    private static final String FIRST = "transformers.models.cohere.modeling_cohere.Cohere";
    private static final String SECOND = "transformers.models.cohere2.modeling_cohere2.Cohere2";
    private static final double SCALE = 0.0625;
    private static final long WINDOW = 4096;

    private Cohere() {}

    /** {@code cohere}. */
    public static Layer one(Request request) {
        Plain p = new Plain(request, FIRST, 1e-5);
        AttentionShape shape = AttentionShape.of(p.config, FIRST + "Attention");
        boolean normed = p.config.flag("use_qk_norm", false);
        return p.model(
                p.layers(i -> layer(
                        p,
                        Attention.normed(
                                shape,
                                request,
                                p.pass,
                                SelfAttention.Turn.WIDE_PAIRS,
                                normed ? Attention.Norms.VIEWED_HEADS : Attention.Norms.NONE,
                                heads -> new Norm(FIRST, heads, shape.size()),
                                Attention.Names.USUAL))),
                new Decoder.Shared(p.embeddings(), new Norm(FIRST, p.width), rotary(p, shape), shape),
                true,
                Scores.multiplied(p.config.number("logit_scale", SCALE)),
                "Model");
    }

    /** {@code cohere2}. */
    public static Layer two(Request request) {
        Plain p = new Plain(request, SECOND, 1e-5);
        ModelConfig c = p.config;
        AttentionShape shape = AttentionShape.of(c, SECOND + "Attention");
        long pattern = c.size("sliding_window_pattern", 4);
        Plain.Kinds kinds = p.kinds(shape, c.size("sliding_window", WINDOW), i -> (i + 1) % pattern != 0, true);
        return p.model(
                p.layers(i -> {
                    AttentionShape own = kinds.shapes().get(i);
                    boolean slides = own.kind().equals(AttentionShape.SLIDING);
                    SelfAttention.Turn turn = slides ? SelfAttention.Turn.WIDE_PAIRS : SelfAttention.Turn.NONE;
                    return layer(p, Attention.named(own, request, p.pass, turn, Attention.Names.USUAL));
                }),
                new Decoder.Shared(
                        p.embeddings(), new Norm(SECOND, p.width), rotary(p, shape), kinds.windows(), List.of()),
                true,
                Scores.multiplied(c.number("logit_scale", SCALE)),
                "Model");
    }

    private static Layer layer(Plain p, Layer attention) {
        return new ParallelLayer(
                p.prefix + "DecoderLayer",
                ParallelLayer.Order.COHERE,
                attention,
                p.feedForward(false),
                new Norm(p.prefix, p.width),
                0);
    }

    private static Layer rotary(Plain p, AttentionShape shape) {
        return RotaryEmbedding.interleaved(p.prefix + "RotaryEmbedding", p.request, shape.turned());
    }

    /** {@code CohereLayerNorm}: in plain operators and float32, without a bias. */
    private static final class Norm extends Layer {
        private final String prefix;

        private Norm(String prefix, long... sizes) {
            this.prefix = prefix;
            parameter("weight", sizes);
        }

        @Override
        protected String type() {
            return prefix + "LayerNorm";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            long[] last = {-1};
            s.line("x = x.to(torch.float32)");
            Value x = s.op("aten.to.dtype", "self", in[0], "dtype", DType.FLOAT32);
            s.line("mean = x.mean(-1, keepdim=True)");
            Value mean = s.op("aten.mean.dim", "self", x, "dim", last, "keepdim", true);
            s.line("variance = (x - mean).pow(2).mean(-1, keepdim=True)");
            Value centred = s.op("aten.sub.Tensor", "self", x, "other", mean);
            Value squared = s.op("aten.pow.Tensor_Scalar", "self", centred, "exponent", 2);
            Value variance = s.op("aten.mean.dim", "self", squared, "dim", last, "keepdim", true);
            s.line("x = (x - mean) * torch.rsqrt(variance + self.variance_epsilon)");
            Value again = s.op("aten.sub.Tensor", "self", x, "other", mean);
            Value shifted = s.op("aten.add.Tensor", "self", variance, "other", 1e-5);
            Value root = s.op("aten.rsqrt.default", "self", shifted);
            x = s.op("aten.mul.Tensor", "self", again, "other", root);
            s.line("x = self.weight.to(torch.float32) * x");
            Value weight = s.op("aten.to.dtype", "self", s.parameter("weight"), "dtype", DType.FLOAT32);
            x = s.op("aten.mul.Tensor", "self", weight, "other", x);
            s.line("return x.to(input_dtype)");
            return s.op("aten.to.dtype", "self", x, "dtype", new Argument.TypeOf(in[0].name()));
        }
    }
}
