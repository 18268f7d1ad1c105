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
 * The Llama 3 of torchtitan as it was at the end of 2024, loss included: norms in single precision, rotary embeddings
 * in complex numbers (torchtitan/models/llama/model.py at 9dec370).
 *
 * @param keys heads of keys and values, which groups of query heads share
 * @param hidden width of the feed-forward layers
 */
public record TitanDecoder(long vocabulary, long width, int layers, long heads, long keys, long hidden, long length) {
    /** Llama 3.1 8B. */
    public static TitanDecoder of8Billion(long length) {
        return new TitanDecoder(128_256, 4_096, 32, 32, 8, 14_336, length);
    }

    /** The graph of its forward pass. */
    public Graph graph() {
        return Model.of("decoder", new Decoder(this))
                .input("tokens", DType.INT64, Model.BATCH, length)
                .input("labels", DType.INT64, Model.BATCH, length)
                .graph();
    }

    private static final class Norm extends Layer {
        private Norm(long width) {
            parameter("weight", width);
        }

        @Override
        protected Value forward(Scope s, Value... inputs) {
            s.line("return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)");
            Value x = s.op("aten.to.dtype", arguments("self", inputs[0], "dtype", DType.FLOAT32));
            Value squares = s.op("aten.pow.Tensor_Scalar", arguments("self", x, "exponent", 2));
            Value mean = s.op("aten.mean.dim", arguments("self", squares, "dim", new long[] {-1}, "keepdim", true));
            Value shifted = s.op("aten.add.Scalar", arguments("self", mean, "other", 1e-5));
            Value root = s.op("aten.rsqrt.default", arguments("self", shifted));
            Value scaled = s.op("aten.mul.Tensor", arguments("self", x, "other", root));
            s.line("output = self._norm(x.float()).type_as(x)");
            Value output = s.op("aten.to.other", arguments("self", scaled, "other", inputs[0]));
            s.line("return output * self.weight");
            return s.op("aten.mul.Tensor", arguments("self", output, "other", s.parameter("weight")));
        }
    }

    private static final class Attention extends Layer {
        private final long heads;
        private final long keys;
        private final long size;
        private final long length;
        private final List<Layer> projections = new ArrayList<>();
        private final Layer out;

        private Attention(TitanDecoder d) {
            heads = d.heads;
            keys = d.keys;
            size = d.width / d.heads;
            length = d.length;
            projections.add(child("wq", linear(d.width, d.width, false)));
            projections.add(child("wk", linear(d.width, keys * size, false)));
            projections.add(child("wv", linear(d.width, keys * size, false)));
            out = child("wo", linear(d.width, d.width, false));
        }

        private Value heads(Scope s, Value x, long count) {
            return s.op("aten.view.default", arguments("self", x, "size", new long[] {-1, length, count, size}));
        }

        private Value complex(Scope s, Value x, long count) {
            Value single = s.op("aten.to.dtype", arguments("self", x, "dtype", DType.FLOAT32));
            Value pairs = s.op(
                    "aten.reshape.default",
                    arguments("self", single, "shape", new long[] {-1, length, count, size / 2, 2}));
            return s.op("aten.view_as_complex.default", arguments("self", pairs));
        }

        private Value real(Scope s, Value x, Value turns) {
            Value turned = s.op("aten.mul.Tensor", arguments("self", x, "other", turns));
            Value parts = s.op("aten.view_as_real.default", arguments("self", turned));
            return s.op("aten.flatten.using_ints", arguments("self", parts, "start_dim", 3));
        }

        private Value repeated(Scope s, Value x) {
            Value one = s.op("aten.unsqueeze.default", arguments("self", x, "dim", 3));
            Value all = s.op(
                    "aten.expand.default",
                    arguments("self", one, "size", new long[] {-1, length, keys, heads / keys, size}));
            return s.op("aten.reshape.default", arguments("self", all, "shape", new long[] {-1, length, heads, size}));
        }

        private static Value turned(Scope s, Value x) {
            return s.op("aten.transpose.int", arguments("self", x, "dim0", 1, "dim1", 2));
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)");
            Value xq = s.call(projections.get(0), in[0]);
            Value xk = s.call(projections.get(1), in[0]);
            Value xv = s.call(projections.get(2), in[0]);
            s.line("xq = xq.view(bs, seqlen, -1, self.head_dim)");
            xq = heads(s, xq, heads);
            s.line("xk = xk.view(bs, seqlen, -1, self.head_dim)");
            xk = heads(s, xk, keys);
            s.line("xv = xv.view(bs, seqlen, -1, self.head_dim)");
            xv = heads(s, xv, keys);
            s.line("xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))");
            Value cq = complex(s, xq, heads);
            s.line("xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))");
            Value ck = complex(s, xk, keys);
            s.line("xq_out = torch.view_as_real(xq_ * freqs_cis).flatten(3)");
            Value rq = real(s, cq, in[1]);
            s.line("xk_out = torch.view_as_real(xk_ * freqs_cis).flatten(3)");
            Value rk = real(s, ck, in[1]);
            s.line("return xq_out.type_as(xq), xk_out.type_as(xk)");
            xq = s.op("aten.to.other", arguments("self", rq, "other", xq));
            xk = s.op("aten.to.other", arguments("self", rk, "other", xk));
            s.line("keys = repeat_kv(xk, self.n_rep)");
            Value allKeys = repeated(s, xk);
            s.line("values = repeat_kv(xv, self.n_rep)");
            Value values = repeated(s, xv);
            s.line("xq = xq.transpose(1, 2)");
            xq = turned(s, xq);
            s.line("xk = keys.transpose(1, 2)");
            xk = turned(s, allKeys);
            s.line("xv = values.transpose(1, 2)");
            xv = turned(s, values);
            s.line("output = F.scaled_dot_product_attention(xq, xk, xv, is_causal=True)");
            Value output = s.op(
                    "aten.scaled_dot_product_attention.default",
                    arguments("query", xq, "key", xk, "value", xv, "is_causal", true));
            s.line("output = output.transpose(1, 2).contiguous()");
            output = s.op("aten.contiguous.default", arguments("self", turned(s, output)));
            s.line("output = output.view(bs, seqlen, -1)");
            output =
                    s.op("aten.view.default", arguments("self", output, "size", new long[] {-1, length, heads * size}));
            s.line("return self.wo(output)");
            return s.call(out, output);
        }
    }

    private static final class Block extends Layer {
        private final Layer attention;
        private final Layer feedForward;
        private final Layer attentionNorm;
        private final Layer feedForwardNorm;

        private Block(TitanDecoder d) {
            attentionNorm = child("attention_norm", new Norm(d.width));
            feedForwardNorm = child("ffn_norm", new Norm(d.width));
            attention = child("attention", new Attention(d));
            feedForward = child("feed_forward", new FeedForward(d.width, d.hidden));
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("h = x + self.attention(self.attention_norm(x), freqs_cis)");
            Value attended = s.call(attention, s.call(attentionNorm, in[0]), in[1]);
            Value x = s.op("aten.add.Tensor", arguments("self", in[0], "other", attended));
            s.line("out = h + self.feed_forward(self.ffn_norm(h))");
            Value fed = s.call(feedForward, s.call(feedForwardNorm, x));
            return s.op("aten.add.Tensor", arguments("self", x, "other", fed));
        }
    }

    private static final class Decoder extends Layer {
        private final Layer embeddings;
        private final List<Layer> blocks = new ArrayList<>();
        private final Layer norm;
        private final Layer output;
        private final long length;
        private final long half;

        private Decoder(TitanDecoder d) {
            length = d.length;
            half = d.width / d.heads / 2;
            embeddings = child("tok_embeddings", embedding(d.vocabulary, d.width));
            ModuleList list = child("layers", new ModuleList());
            for (int i = 0; i < d.layers; i++) {
                blocks.add(list.add(new Block(d)));
            }
            norm = child("norm", new Norm(d.width));
            output = child("output", linear(d.width, d.vocabulary, false));
            buffer("freqs_cis", DType.COMPLEX64, d.length, d.width / d.heads / 2);
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("h = self.tok_embeddings(tokens)");
            Value h = s.call(embeddings, in[0]);
            Value turns = s.op(
                    "aten.view.default",
                    arguments("self", s.parameter("freqs_cis"), "size", new long[] {1, length, 1, half}));
            s.line("h = layer(h, self.freqs_cis)");
            for (Layer block : blocks) {
                h = s.call(block, h, turns);
            }
            s.line("h = self.norm(h)");
            h = s.call(norm, h);
            s.line("pred = self.output(h)");
            Value pred = s.call(output, h);
            s.line("return F.cross_entropy(pred.flatten(0, 1).float(), labels.flatten(0, 1))");
            Value rows = s.op("aten.flatten.using_ints", arguments("self", pred, "start_dim", 0, "end_dim", 1));
            Value scores = s.op("aten.to.dtype", arguments("self", rows, "dtype", DType.FLOAT32));
            Value labels = s.op("aten.flatten.using_ints", arguments("self", in[1], "start_dim", 0, "end_dim", 1));
            return s.op("aten.cross_entropy_loss.default", arguments("self", scores, "target", labels));
        }
    }
}
