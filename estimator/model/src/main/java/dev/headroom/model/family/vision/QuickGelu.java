package dev.headroom.model.family.vision;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code input * torch.sigmoid(1.702 * input)}. */
final class QuickGelu extends Layer {
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
