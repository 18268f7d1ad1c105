package dev.headroom.model.family.older;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code FalconLinear}: multiplies and adds by hand. */
final class FalconLinear extends Layer {
    private final boolean bias;

    FalconLinear(long in, long out, boolean bias) {
        this.bias = bias;
        parameter("weight", out, in);
        if (bias) {
            parameter("bias", out);
        }
    }

    @Override
    protected String type() {
        return Falcon.CLASS + "Linear";
    }

    @Override
    protected Value forward(Scope s, Value... x) {
        s.line("hidden_states = input @ self.weight.T");
        Value turned = s.op("aten.numpy_T.default", "self", s.parameter("weight"));
        Value product = s.op("aten.matmul.default", "self", x[0], "other", turned);
        if (!bias) {
            return product;
        }
        s.line("return hidden_states + self.bias");
        return s.op("aten.add.Tensor", "self", product, "other", s.parameter("bias"));
    }
}
