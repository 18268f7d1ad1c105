package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;
import dev.headroom.model.family.part.Activations;
import dev.headroom.model.family.part.NamedSequence;

/** {@code BertLayer}: attention, then a feed-forward part, each added to its input and normalised. */
final class EncoderLayer extends Layer {
    private final Shape shape;
    private final Layer attention;
    private final Layer intermediate;
    private final Layer output;

    EncoderLayer(Shape shape, Request request) {
        this.shape = shape;
        attention = child("attention", new EncoderAttention(shape, request));
        intermediate = child("intermediate", intermediate(shape, request));
        output = child("output", new AddAndNorm(shape.prefix() + "Output", shape, shape.inner()));
    }

    @Override
    protected String type() {
        return shape.prefix() + "Layer";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("attended = self.attention(x, mask)[0]");
        Value[] attended = s.results(attention, in);
        s.line("out = apply_chunking_to_forward(self.feed_forward_chunk, attended)");
        Value out = s.function("feed_forward_chunk", () -> {
            s.line("inner = self.intermediate(attended)");
            Value inner = s.call(intermediate, attended[0]);
            s.line("out = self.output(inner, attended)");
            return s.call(output, inner, attended[0]);
        });
        if (attended.length > 1) {
            s.use(attended[1]);
        }
        return out;
    }

    private static Layer intermediate(Shape shape, Request request) {
        return new NamedSequence(shape.prefix() + "Intermediate", "dense", "intermediate_act_fn")
                .with("dense", Layers.linear(shape.width(), shape.inner()))
                .with("intermediate_act_fn", Activations.of(request.config(), "hidden_act", "gelu"));
    }
}
