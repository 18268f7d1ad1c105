package dev.headroom.model.family.encoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code LayerNorm(dropout(dense(x)) + input)}: {@code BertSelfOutput} and {@code BertOutput}. */
final class AddAndNorm extends Layer {
    private final String type;
    private final Layer dense;
    private final Layer norm;
    private final Layer dropout;

    /** @param type class name */
    AddAndNorm(String type, Shape shape, long in) {
        this.type = type;
        dense = child("dense", Layers.linear(in, shape.width()));
        norm = child("LayerNorm", Layers.layerNorm(shape.width()));
        dropout = child("dropout", Layers.dropout(shape.dropout()));
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("x = self.dense(x)");
        Value x = s.call(dense, in[0]);
        s.line("x = self.dropout(x)");
        x = s.call(dropout, x);
        s.line("x = self.LayerNorm(x + input)");
        Value sum = s.op("aten.add.Tensor", "self", x, "other", in[1]);
        return s.call(norm, sum);
    }
}
