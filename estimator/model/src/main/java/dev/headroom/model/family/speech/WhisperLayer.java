package dev.headroom.model.family.speech;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.AttentionShape;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.ReturnsMore;
import dev.headroom.model.graph.DType;
import dev.headroom.model.quant.pass.Preparing;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * {@code WhisperEncoderLayer} and {@code WhisperDecoderLayer}. Its inputs: states, and what the encoder made; a mask.
 */
final class WhisperLayer extends Layer {
    private final WhisperShape shape;
    private final boolean decodes;
    private final Layer own;
    private final Layer ownNorm;
    private final @Nullable Layer crossed;
    private final @Nullable Layer crossedNorm;
    private final Layer activation;
    private final Layer in;
    private final Layer out;
    private final Layer norm;

    WhisperLayer(WhisperShape shape, boolean decodes) {
        this.shape = shape;
        this.decodes = decodes;
        String side = decodes ? "decoder" : "encoder";
        AttentionShape sizes = shape.attention(side);
        own = child("self_attn", new WhisperAttention(shape, sizes, false));
        activation = Activations.of(shape.config(), "activation_function", "gelu");
        if (decodes) {
            child("activation_fn", activation);
        }
        ownNorm = child("self_attn_layer_norm", Layers.layerNorm(shape.width()));
        crossed = decodes ? child("encoder_attn", new WhisperAttention(shape, sizes, true)) : null;
        crossedNorm = decodes ? child("encoder_attn_layer_norm", Layers.layerNorm(shape.width())) : null;
        if (!decodes) {
            child("activation_fn", activation);
        }
        in = child("fc1", Layers.linear(shape.width(), shape.inner(side)));
        out = child("fc2", Layers.linear(shape.inner(side), shape.width()));
        norm = child("final_layer_norm", Layers.layerNorm(shape.width()));
    }

    @Override
    protected String type() {
        return WhisperShape.CLASS + (decodes ? "DecoderLayer" : "EncoderLayer");
    }

    private Value dropped(Scope s, Value x, double p) {
        s.line("x = nn.functional.dropout(x, p=self.dropout, training=self.training)");
        return s.op("aten.dropout.default", "input", x, "p", p, "train", s.training());
    }

    private static void holdMore(Scope s, Value[] results) {
        for (int i = 1; i < results.length; i++) {
            s.hold(results[i]);
        }
    }

    @Override
    protected Value forward(Scope s, Value... given) {
        s.line("x = self.self_attn_layer_norm(x)");
        Value x = s.call(ownNorm, given[0]);
        boolean masked = decodes && given.length > 2;
        s.line(ReturnsMore.call(own));
        Value[] made = s.results(own, masked ? new Value[] {x, x, given[2]} : new Value[] {x, x});
        x = dropped(s, made[0], shape.dropout());
        s.line("x = residual + x");
        Value residual = s.op("aten.add.Tensor", "self", given[0], "other", x);
        if (crossed != null && crossedNorm != null) {
            s.line("x = self.encoder_attn_layer_norm(x)");
            x = s.call(crossedNorm, residual);
            s.line(ReturnsMore.call(crossed));
            Value[] other = s.results(crossed, x, given[1]);
            holdMore(s, made); // until _ is bound again
            made = other;
            x = dropped(s, made[0], shape.dropout());
            s.line("x = residual + x");
            residual = s.op("aten.add.Tensor", "self", residual, "other", x);
        }
        s.line("x = self.final_layer_norm(x)");
        x = s.call(norm, residual);
        s.line("x = self.activation_fn(self.fc1(x))");
        x = s.call(activation, s.call(in, x));
        x = dropped(s, x, shape.config().number("activation_dropout", 0));
        s.line("x = self.fc2(x)");
        x = s.call(out, x);
        x = dropped(s, x, shape.dropout());
        s.line("x = residual + x");
        x = s.op("aten.add.Tensor", "self", residual, "other", x);
        if (!decodes && passesHalves()) {
            s.line("x = torch.clamp(x, min=-clamp_value, max=clamp_value)");
            x = s.op("aten.clamp.default", "self", x, "min", -64_504.0, "max", 64_504.0);
        }
        holdMore(s, made);
        return x;
    }

    /** The inputs of a layer with what it makes in the place of its states. */
    static Value[] next(Value[] given, Value x) {
        Value[] out = Arrays.copyOf(given, given.length);
        out[0] = x;
        return out;
    }

    /** Whether layers pass rows in float16 to each other: preparing a quantised model makes its embeddings float32. */
    private boolean passesHalves() {
        Request request = shape.request();
        return request.type() == DType.FLOAT16 && !Preparing.casts(request.scenario());
    }
}
