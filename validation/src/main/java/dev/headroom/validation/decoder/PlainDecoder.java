package dev.headroom.validation.decoder;

import static dev.headroom.model.dsl.Layers.embedding;
import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.List;

/**
 * A decoder of the Llama kind of any size, of which no archive has to be made.
 *
 * @param keys heads of keys and values, which groups of query heads share
 * @param hidden width of the feed-forward layers
 */
public record PlainDecoder(long vocabulary, long width, int layers, long heads, long keys, long hidden, long length) {
    /** As wide and deep as Llama 3.1 405B. */
    public static PlainDecoder of405Billion(long length) {
        return new PlainDecoder(128_256, 16_384, 126, 128, 8, 53_248, length);
    }

    /** The graph of its forward pass. */
    public Graph graph() {
        return Model.of("decoder", new Decoder(this))
                .input("x", DType.INT64, Model.BATCH, length)
                .graph();
    }

    private static final class Norm extends Layer {
        private final long width;

        private Norm(long width) {
            this.width = width;
            parameter("weight", width);
        }

        @Override
        protected String type() {
            return "torch.nn.modules.normalization.RMSNorm";
        }

        @Override
        protected Value forward(Scope s, Value... inputs) {
            return s.op(
                    "aten.rms_norm.default",
                    arguments(
                            "input",
                            inputs[0],
                            "normalized_shape",
                            new long[] {width},
                            "weight",
                            s.parameter("weight"),
                            "eps",
                            1e-5));
        }
    }

    private static final class Attention extends Layer {
        private final long heads;
        private final long keys;
        private final long size;
        private final long length;
        private final List<Layer> projections = new ArrayList<>();
        private final Layer out;

        private Attention(PlainDecoder d) {
            heads = d.heads;
            keys = d.keys;
            size = d.width / d.heads;
            length = d.length;
            projections.add(child("wq", linear(d.width, d.width, false)));
            projections.add(child("wk", linear(d.width, keys * size, false)));
            projections.add(child("wv", linear(d.width, keys * size, false)));
            out = child("wo", linear(d.width, d.width, false));
        }

        private Value split(Scope s, Layer projection, Value x) {
            Value parts = s.op("aten.view.default", arguments("self", s.call(projection, x), "size", new long[] {
                -1, length, projection == projections.get(0) ? heads : keys, size
            }));
            return s.op("aten.transpose.int", arguments("self", parts, "dim0", 1, "dim1", 2));
        }

        private Value turned(Scope s, Value x, Value cos, Value sin) {
            Value scaled = s.op("aten.mul.Tensor", arguments("self", x, "other", cos));
            Value[] halves = s.ops("aten.chunk.default", 2, arguments("self", x, "chunks", 2, "dim", -1));
            Value negated = s.op("aten.neg.default", arguments("self", halves[1]));
            Value joined = s.op("aten.cat.default", arguments("tensors", new Value[] {negated, halves[0]}, "dim", -1));
            Value other = s.op("aten.mul.Tensor", arguments("self", joined, "other", sin));
            return s.op("aten.add.Tensor", arguments("self", scaled, "other", other));
        }

        private Value shared(Scope s, Value x) {
            Value one = s.op("aten.unsqueeze.default", arguments("self", x, "dim", 2));
            Value all = s.op(
                    "aten.expand.default",
                    arguments("self", one, "size", new long[] {-1, keys, heads / keys, length, size}));
            return s.op("aten.reshape.default", arguments("self", all, "shape", new long[] {-1, heads, length, size}));
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("q, k, v = (w(x).view(b, t, -1, d).transpose(1, 2) for w in (self.wq, self.wk, self.wv))");
            Value q = split(s, projections.get(0), in[0]);
            Value k = split(s, projections.get(1), in[0]);
            Value v = split(s, projections.get(2), in[0]);
            s.line("q, k = q * cos + self.turned(q) * sin, k * cos + self.turned(k) * sin");
            q = turned(s, q, in[1], in[2]);
            k = turned(s, k, in[1], in[2]);
            s.line("k, v = (y[:, :, None].expand(b, y.shape[1], self.groups, t, d).reshape(b, -1, t, d)"
                    + " for y in (k, v))");
            k = shared(s, k);
            v = shared(s, v);
            s.line("out = F.scaled_dot_product_attention(q, k, v, is_causal=True)");
            Value attended = s.op(
                    "aten.scaled_dot_product_attention.default",
                    arguments("query", q, "key", k, "value", v, "is_causal", true));
            s.line("return self.wo(out.transpose(1, 2).reshape(b, t, -1))");
            Value turned = s.op("aten.transpose.int", arguments("self", attended, "dim0", 1, "dim1", 2));
            Value flat = s.op(
                    "aten.reshape.default", arguments("self", turned, "shape", new long[] {-1, length, heads * size}));
            return s.call(out, flat);
        }
    }

    private static final class Block extends Layer {
        private final Layer attention;
        private final Layer feedForward;
        private final Layer attentionNorm;
        private final Layer feedForwardNorm;

        private Block(PlainDecoder d) {
            attentionNorm = child("attention_norm", new Norm(d.width));
            feedForwardNorm = child("ffn_norm", new Norm(d.width));
            attention = child("attention", new Attention(d));
            feedForward = child("feed_forward", new FeedForward(d.width, d.hidden));
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = x + self.attention(self.attention_norm(x), cos, sin)");
            Value attended = s.call(attention, s.call(attentionNorm, in[0]), in[1], in[2]);
            Value x = s.op("aten.add.Tensor", arguments("self", in[0], "other", attended));
            s.line("return x + self.feed_forward(self.ffn_norm(x))");
            Value fed = s.call(feedForward, s.call(feedForwardNorm, x));
            return s.op("aten.add.Tensor", arguments("self", x, "other", fed));
        }
    }

    private static final class Decoder extends Layer {
        private final Layer embeddings;
        private final List<Layer> blocks = new ArrayList<>();
        private final Layer norm;
        private final Layer output;

        private Decoder(PlainDecoder d) {
            embeddings = child("tok_embeddings", embedding(d.vocabulary, d.width));
            ModuleList list = child("layers", new ModuleList());
            for (int i = 0; i < d.layers; i++) {
                blocks.add(list.add(new Block(d)));
            }
            norm = child("norm", new Norm(d.width));
            output = child("output", linear(d.width, d.vocabulary, false));
            buffer("cos", DType.FLOAT32, d.length, d.width / d.heads);
            buffer("sin", DType.FLOAT32, d.length, d.width / d.heads);
        }

        private static Value converted(Scope s, Value table) {
            return s.op("aten.to.dtype", arguments("self", table, "dtype", DType.FLOAT32));
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("x = self.tok_embeddings(x)");
            Value x = s.call(embeddings, in[0]);
            s.line("cos, sin = self.cos.to(x.dtype), self.sin.to(x.dtype)");
            Value cos = converted(s, s.parameter("cos"));
            Value sin = converted(s, s.parameter("sin"));
            s.line("x = layer(x, cos, sin)");
            for (Layer block : blocks) {
                x = s.call(block, x, cos, sin);
            }
            s.line("return x if self.output is None else self.output(self.norm(x))");
            return s.call(output, s.call(norm, x));
        }
    }
}
