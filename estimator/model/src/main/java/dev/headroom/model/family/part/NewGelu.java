package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code NewGELUActivation}: GELU's approximation in plain operators. */
final class NewGelu extends Layer {
    @Override
    protected String type() {
        return "transformers.activations.NewGELUActivation";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("return 0.5 * input * (1.0 + torch.tanh(c * (input + 0.044715 * torch.pow(input, 3.0))))");
        Value half = s.op("aten.mul.Tensor", "self", in[0], "other", 0.5);
        Value cube = s.op("aten.pow.Tensor_Scalar", "self", in[0], "exponent", 3.0);
        Value small = s.op("aten.mul.Tensor", "self", cube, "other", 0.044715);
        Value sum = s.op("aten.add.Tensor", "self", in[0], "other", small);
        Value scaled = s.op("aten.mul.Tensor", "self", sum, "other", 0.7978845608);
        Value bent = s.op("aten.tanh.default", "self", scaled);
        Value shifted = s.op("aten.add.Tensor", "self", bent, "other", 1.0);
        return s.op("aten.mul.Tensor", "self", half, "other", shifted);
    }
}
