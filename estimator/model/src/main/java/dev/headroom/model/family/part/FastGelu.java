package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code FastGELUActivation}: {@link NewGelu} with the cube taken apart, as GPT-NeoX-20B has it. */
final class FastGelu extends Layer {
    @Override
    protected String type() {
        return "transformers.activations.FastGELUActivation";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("return 0.5 * input * (1.0 + torch.tanh(input * c * (1.0 + 0.044715 * input * input)))");
        Value half = s.op("aten.mul.Tensor", "self", in[0], "other", 0.5);
        Value scaled = s.op("aten.mul.Tensor", "self", in[0], "other", 0.7978845608);
        Value small = s.op("aten.mul.Tensor", "self", in[0], "other", 0.044715);
        Value square = s.op("aten.mul.Tensor", "self", small, "other", in[0]);
        Value sum = s.op("aten.add.Tensor", "self", square, "other", 1.0);
        Value inner = s.op("aten.mul.Tensor", "self", scaled, "other", sum);
        Value bent = s.op("aten.tanh.default", "self", inner);
        Value shifted = s.op("aten.add.Tensor", "self", bent, "other", 1.0);
        return s.op("aten.mul.Tensor", "self", half, "other", shifted);
    }
}
