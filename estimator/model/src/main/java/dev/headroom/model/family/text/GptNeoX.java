package dev.headroom.model.family.text;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.EmbeddingDecoder;
import dev.headroom.model.family.decoder.Masks;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Positions;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.decoder.RotaryEmbedding;
import dev.headroom.model.family.decoder.SelfAttention;
import dev.headroom.model.family.head.DecoderHeads;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.ModuleList;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.graph.SymExpr;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** GPT-NeoX and Pythia (transformers, models/gpt_neox/modeling_gpt_neox.py). */
public final class GptNeoX extends EmbeddingDecoder {
    private static final String CLASS = "transformers.models.gpt_neox.modeling_gpt_neox.GPTNeoX";

    private final Request request;
    private final Pass pass;
    private final Layer dropout;
    private final List<Layer> layers = new ArrayList<>();
    private final Layer norm;
    private final Layer rotary;

    private GptNeoX(Request request, Pass pass) {
        super(CLASS + "Model", "embed_in", tokens(request.config()));
        this.request = request;
        this.pass = pass;
        ModelConfig c = request.config();
        AttentionShape whole = AttentionShape.of(c, CLASS + "Attention");
        double part = c.section("rope_parameters").number("partial_rotary_factor", c.number("rotary_pct", 0.25));
        boolean bias = c.flag("attention_bias", true);
        AttentionShape shape =
                whole.withTurned((long) (whole.size() * part)).withBias(bias).withOutBias(bias);
        dropout = child("emb_dropout", Layers.dropout(c.number("hidden_dropout", 0)));
        ModuleList list = child("layers", new ModuleList());
        for (int i = 0; i < c.size("num_hidden_layers"); i++) {
            layers.add(list.add(new Block(c, shape, request, pass)));
        }
        norm = child("final_layer_norm", Layers.layerNorm(shape.width()));
        rotary = child("rotary_emb", new RotaryEmbedding(CLASS + "RotaryEmbedding", request, shape.turned()));
    }

    private static Layer tokens(ModelConfig c) {
        return Layers.embedding(c.size("vocab_size"), c.size("hidden_size"));
    }

    /** The model that a config describes. */
    public static Layer of(Request request) {
        ModelConfig c = request.config();
        Pass pass = new Pass();
        GptNeoX decoder = new GptNeoX(request, pass);
        return DecoderHeads.around(
                new DecoderHeads.Names(CLASS, "gpt_neox", "classifier", true),
                "ForCausalLM",
                request,
                pass,
                c.size("vocab_size"),
                c.size("hidden_size"),
                false,
                decoder);
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("embedded = self.embed_in(input_ids)");
        Value embedded = s.call(embeddings(), in[0]);
        Value positions = Positions.write(s, request);
        pass.mask(AttentionShape.FULL, Masks.causal(s, request, embedded, positions, Masks.NO_WINDOW));
        s.line("x = self.emb_dropout(embedded)");
        Value x = s.call(dropout, embedded);
        s.line("position_embeddings = self.rotary_emb(x, position_ids)");
        Value[] turns = s.results(rotary, x, positions);
        pass.rotate(AttentionShape.FULL, new Pass.Rotation(turns[0], turns[1]));
        s.line("x = layer(x)");
        for (Layer layer : layers) {
            x = s.call(layer, x);
        }
        s.line("x = self.final_layer_norm(x)");
        x = s.call(norm, x);
        s.use(embedded);
        return x;
    }

    /** {@code GPTNeoXLayer}. */
    private static final class Block extends Layer {
        private final Layer before;
        private final Layer between;
        private final Layer attentionDropout;
        private final Layer innerDropout;
        private final Layer attention;
        private final Layer feedForward;
        private final boolean parallel;

        private Block(ModelConfig c, AttentionShape shape, Request request, Pass pass) {
            before = child("input_layernorm", Layers.layerNorm(shape.width()));
            between = child("post_attention_layernorm", Layers.layerNorm(shape.width()));
            attentionDropout = child("post_attention_dropout", Layers.dropout(c.number("hidden_dropout", 0)));
            innerDropout = child("post_mlp_dropout", Layers.dropout(c.number("hidden_dropout", 0)));
            attention = child("attention", new Attention(shape, request, pass));
            feedForward = child("mlp", feedForward(c, shape.width()));
            parallel = c.flag("use_parallel_residual", true);
        }

        @Override
        protected String type() {
            return CLASS + "Layer";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("attn_output = self.attention(self.input_layernorm(x))[0]");
            Value[] attended = s.results(attention, s.call(before, in[0]));
            s.line("attn_output = self.post_attention_dropout(attn_output)");
            Value kept = s.call(attentionDropout, attended[0]);
            Value residual = in[0];
            if (!parallel) {
                s.line("attn_output = attn_output + x");
                kept = s.op("aten.add.Tensor", "self", kept, "other", in[0]);
                residual = kept;
            }
            s.line("mlp_output = self.mlp(self.post_attention_layernorm(x))");
            Value inner = s.call(feedForward, s.call(between, residual));
            s.line("mlp_output = self.post_mlp_dropout(mlp_output)");
            inner = s.call(innerDropout, inner);
            s.line("x = mlp_output + attn_output + x");
            Value x = s.op("aten.add.Tensor", "self", inner, "other", kept);
            x = parallel ? s.op("aten.add.Tensor", "self", x, "other", in[0]) : x;
            s.use(Arrays.copyOfRange(attended, 1, attended.length));
            return x;
        }
    }

    /** {@code GPTNeoXAttention}. */
    private static final class Attention extends SelfAttention {
        private final AttentionShape shape;
        private final Request request;
        private final Layer all;
        private final Layer out;

        private Attention(AttentionShape shape, Request request, Pass pass) {
            super(shape, request, pass, Turn.PART_FIRST);
            this.shape = shape;
            this.request = request;
            all = child("query_key_value", Layers.linear(shape.width(), 3 * shape.width(), shape.bias()));
            out = child("dense", Layers.linear(shape.width(), shape.width(), shape.outBias()));
        }

        @Override
        protected Layer out() {
            return out;
        }

        @Override
        protected Value[] project(Scope s, Value x) {
            s.line("qkv = self.query_key_value(x).view(hidden_shape).transpose(1, 2)");
            SymExpr[] sizes = {Request.BATCH, request.length(), SymExpr.of(-1), SymExpr.of(3 * shape.size())};
            Value split = s.op("aten.view.default", "self", s.call(all, x), "size", sizes);
            Value qkv = s.op("aten.transpose.int", "self", split, "dim0", 1, "dim1", 2);
            s.line("queries, keys, values = qkv.chunk(3, dim=-1)");
            return s.ops("aten.chunk.default", 3, Scope.arguments("self", qkv, "chunks", 3, "dim", -1));
        }
    }

    /** {@code GPTNeoXMLP}. */
    private static Layer feedForward(ModelConfig c, long width) {
        long inner = c.size("intermediate_size", 24576);
        return new NamedSequence(CLASS + "MLP", "dense_h_to_4h", "act", "dense_4h_to_h")
                .with("dense_h_to_4h", Layers.linear(width, inner))
                .with("dense_4h_to_h", Layers.linear(inner, width))
                .with("act", Activations.of(c, "hidden_act", "gelu"));
    }
}
