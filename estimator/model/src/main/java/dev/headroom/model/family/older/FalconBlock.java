package dev.headroom.model.family.older;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.config.ModelConfig;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Pass;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import org.jspecify.annotations.Nullable;

/** {@code FalconDecoderLayer}: both parts side by side, or one after the other. */
final class FalconBlock extends SeveralResults {
    private final Request request;
    private final boolean recent;
    private final boolean parallel;
    private final double hiddenDropout;
    private final double attentionDropout;
    private final Layer attention;
    private final Layer feedForward;
    private final Layer before;
    private final @Nullable Layer second;

    FalconBlock(ModelConfig c, AttentionShape shape, Request request, Pass pass) {
        this.request = request;
        recent = c.flag("new_decoder_architecture", false);
        parallel = c.flag("parallel_attn", true);
        hiddenDropout = c.number("hidden_dropout", 0);
        attentionDropout = c.number("attention_dropout", 0);
        attention = child("self_attention", new FalconAttention(c, shape, request, pass));
        feedForward = child("mlp", new FeedForward(c, shape.width(), shape.bias()));
        boolean two = parallel && c.size("num_ln_in_parallel_attn", recent ? 2 : 1) == 2;
        Layer one = Layers.layerNorm(shape.width());
        if (!parallel) {
            second = child("post_attention_layernorm", Layers.layerNorm(shape.width()));
            before = child("input_layernorm", one);
        } else {
            before = child(two ? "ln_attn" : "input_layernorm", one);
            second = two ? child("ln_mlp", Layers.layerNorm(shape.width())) : null;
        }
    }

    @Override
    protected String type() {
        return Falcon.CLASS + "DecoderLayer";
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("attention_norm = self.ln_attn(x)");
        Value normed = s.call(before, in[0]);
        Value forMlp = normed;
        if (recent && second != null) {
            s.line("mlp_norm = self.ln_mlp(x)");
            forMlp = s.call(second, in[0]);
        }
        s.line((request.eager() ? "weights, attended" : "attended, weights") + " = self.self_attention(x)");
        Value[] attended = s.results(attention, normed);
        Value residual = in[0];
        if (!recent && !parallel && second != null) {
            s.line("residual = dropout_add(attended, residual, self.attention_dropout)");
            residual = DropoutAdd.of(s, attended[0], in[0], attentionDropout);
            s.line("mlp_norm = self.post_attention_layernorm(residual)");
            forMlp = s.call(second, residual);
        }
        s.line("mlp_output = self.mlp(mlp_norm)");
        Value fed = s.call(feedForward, forMlp);
        if (recent || parallel) {
            s.line("mlp_output += attended");
            fed = s.op("aten.add_.Tensor", "self", fed, "other", attended[0]);
        }
        s.line("output = dropout_add(mlp_output, residual, self.hidden_dropout)");
        Value out = DropoutAdd.of(s, fed, residual, hiddenDropout);
        return attended.length == 1 ? new Value[] {out} : new Value[] {out, attended[1]};
    }

    /** {@code FalconMLP}. */
    private static final class FeedForward extends Layer {
        private final Layer in;
        private final Layer out;
        private final Layer activation;

        private FeedForward(ModelConfig c, long width, boolean bias) {
            long hidden = c.size("ffn_hidden_size", 4 * width);
            in = child("dense_h_to_4h", new FalconLinear(width, hidden, bias));
            activation = child("act", Activations.of(c, "activation", "gelu"));
            out = child("dense_4h_to_h", new FalconLinear(hidden, width, bias));
        }

        @Override
        protected String type() {
            return Falcon.CLASS + "MLP";
        }

        @Override
        protected Value forward(Scope s, Value... x) {
            s.line("x = self.act(self.dense_h_to_4h(x))");
            Value h = s.call(activation, s.call(in, x[0]));
            s.line("x = self.dense_4h_to_h(x)");
            return s.call(out, h);
        }
    }
}
