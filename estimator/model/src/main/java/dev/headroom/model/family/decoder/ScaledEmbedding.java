package dev.headroom.model.family.decoder;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.Argument;

/** The embedding of Gemma, scaled by a number that is kept on the device. */
public final class ScaledEmbedding extends Layer {
    private final String type;

    /** @param type class name */
    public ScaledEmbedding(String type, Request request, long rows, long width) {
        this.type = type;
        parameter("weight", rows, width);
        scratch("embed_scale", request.type());
    }

    @Override
    protected String type() {
        return type;
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("return super().embed(input_ids) * self.embed_scale.to(self.weight.dtype)");
        Value weight = s.parameter("weight");
        Value rows = s.op("aten.embedding.default", "weight", weight, "indices", in[0]);
        Argument like = new Argument.TypeOf(weight.name());
        Value scale = s.op("aten.to.dtype", "self", s.parameter("embed_scale"), "dtype", like);
        return s.op("aten.mul.Tensor", "self", rows, "other", scale);
    }
}
