package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import java.util.Map;

/** {@code nn.LayerNorm(width, bias=…)}. */
public final class LayerNorm extends Layer {
    private final long width;
    private final boolean bias;

    public LayerNorm(long width, boolean bias) {
        this.width = width;
        this.bias = bias;
        parameter("weight", width);
        if (bias) {
            parameter("bias", width);
        }
    }

    @Override
    protected String type() {
        return "torch.nn.modules.normalization.LayerNorm";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        Map<String, Object> call = Scope.arguments(
                "input", in[0], "normalized_shape", new long[] {width}, "weight", s.parameter("weight"));
        if (bias) {
            call.put("bias", s.parameter("bias"));
        }
        return s.op("aten.layer_norm.default", call);
    }
}
