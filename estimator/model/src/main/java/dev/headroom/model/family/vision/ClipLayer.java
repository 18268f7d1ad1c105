package dev.headroom.model.family.vision;

import static dev.headroom.model.dsl.Scope.arguments;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.NamedSequence;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.graph.SymExpr;

/** {@code CLIPEncoderLayer} (transformers, models/clip/modeling_clip.py). */
final class ClipLayer extends Layer {
    static final String CLASS = "transformers.models.clip.modeling_clip.CLIP";

    private final Layer attention;
    private final Layer before;
    private final Layer feedForward;
    private final Layer between;

    ClipLayer(ModelConfig c) {
        long width = c.size("hidden_size");
        attention = child("self_attn", new Attention(c));
        before = child("layer_norm1", Layers.layerNorm(width));
        feedForward = child("mlp", feedForward(c));
        between = child("layer_norm2", Layers.layerNorm(width));
    }

    @Override
    protected String type() {
        return CLASS + "EncoderLayer";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.layer_norm1(x)");
        Value x = s.call(before, in[0]);
        s.line("x = self.self_attn(x)");
        x = s.call(attention, x);
        s.line("x = residual + x");
        Value residual = s.op("aten.add.Tensor", "self", in[0], "other", x);
        s.line("x = self.layer_norm2(x)");
        x = s.call(between, residual);
        s.line("x = self.mlp(x)");
        x = s.call(feedForward, x);
        s.line("x = residual + x");
        return s.op("aten.add.Tensor", "self", residual, "other", x);
    }

    /** {@code CLIPMLP}. */
    private static Layer feedForward(ModelConfig c) {
        long width = c.size("hidden_size");
        long inner = c.size("intermediate_size");
        boolean usual = c.text("hidden_act", "quick_gelu").equals("quick_gelu");
        return new NamedSequence(CLASS + "MLP", "fc1", "activation_fn", "fc2")
                .with("activation_fn", usual ? new QuickGelu() : Activations.of(c, "hidden_act", "gelu"))
                .with("fc1", Layers.linear(width, inner))
                .with("fc2", Layers.linear(inner, width));
    }

    /** {@code CLIPAttention}. */
    private static final class Attention extends Layer {
        private final Layer keys;
        private final Layer values;
        private final Layer queries;
        private final Layer out;
        private final long heads;
        private final long size;
        private final double dropout;

        private Attention(ModelConfig c) {
            long width = c.size("hidden_size");
            heads = c.size("num_attention_heads");
            size = c.divided("hidden_size", width, "num_attention_heads", heads);
            keys = child("k_proj", Layers.linear(width, width));
            values = child("v_proj", Layers.linear(width, width));
            queries = child("q_proj", Layers.linear(width, width));
            out = child("out_proj", Layers.linear(width, width));
            dropout = c.number("attention_dropout", 0);
        }

        @Override
        protected String type() {
            return CLASS + "Attention";
        }

        private Value heads(Scope s, Value x) {
            SymExpr[] sizes = {Request.BATCH, SymExpr.of(-1), SymExpr.of(heads), SymExpr.of(size)};
            Value split = s.op("aten.view.default", "self", x, "size", sizes);
            return s.op("aten.transpose.int", "self", split, "dim0", 1, "dim1", 2);
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("queries = self.q_proj(x)");
            Value q = s.call(queries, in[0]);
            s.line("keys = self.k_proj(x)");
            Value k = s.call(keys, in[0]);
            s.line("values = self.v_proj(x)");
            Value v = s.call(values, in[0]);
            s.line("queries = queries.view(shape).transpose(1, 2)");
            q = heads(s, q);
            s.line("keys = keys.view(shape).transpose(1, 2)");
            k = heads(s, k);
            s.line("values = values.view(shape).transpose(1, 2)");
            v = heads(s, v);
            s.line("out, weights = attention_interface(self, queries, keys, values)");
            Value attended = s.op(
                    "aten.scaled_dot_product_attention.default",
                    arguments(
                            "query",
                            q,
                            "key",
                            k,
                            "value",
                            v,
                            "dropout_p",
                            s.training() ? dropout : 0.0,
                            "is_causal",
                            false,
                            "scale",
                            1 / Math.sqrt((double) size)));
            Value turned = s.op("aten.transpose.int", "self", attended, "dim0", 1, "dim1", 2);
            Value rows = s.op("aten.contiguous.default", "self", turned);
            s.line("out = out.reshape(*input_shape, -1).contiguous()");
            SymExpr[] joined = {Request.BATCH, SymExpr.of(-1), SymExpr.of(heads * size)};
            Value flat = s.op("aten.reshape.default", "self", rows, "shape", joined);
            s.line("out = self.out_proj(out)");
            return s.call(out, flat);
        }
    }

    /** {@code input * torch.sigmoid(1.702 * input)}. */
    private static final class QuickGelu extends Layer {
        @Override
        protected String type() {
            return "transformers.activations.QuickGELUActivation";
        }

        @Override
        protected Value forward(Scope s, Value... in) {
            s.line("return input * torch.sigmoid(1.702 * input)");
            Value scaled = s.op("aten.mul.Tensor", "self", in[0], "other", 1.702);
            Value bent = s.op("aten.sigmoid.default", "self", scaled);
            return s.op("aten.mul.Tensor", "self", in[0], "other", bent);
        }
    }
}
