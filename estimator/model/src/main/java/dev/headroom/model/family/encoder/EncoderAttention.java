package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.SeveralResults;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.family.decoder.Request;

/** {@code BertAttention}: attention to itself, added to its input and normalised. */
final class EncoderAttention extends SeveralResults {
    private final Shape shape;
    private final Layer self;
    private final Layer output;

    EncoderAttention(Shape shape, Request request) {
        this.shape = shape;
        self = child("self", new SelfAttention(shape, request));
        output = child("output", new AddAndNorm(shape.prefix() + "SelfOutput", shape, shape.width()));
    }

    @Override
    protected String type() {
        return shape.prefix() + "Attention";
    }

    @Override
    protected Value[] results(Scope s, Value... in) {
        s.line("attended = self.self(x, mask)[0]");
        Value[] attended = s.results(self, in);
        s.line("attended = self.output(attended, x)");
        attended[0] = s.call(output, attended[0], in[0]);
        return attended;
    }
}
