package dev.headroom.model.family.part;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code ReLUSquaredActivation}. */
final class SquaredRelu extends Layer {
    @Override
    protected String type() {
        return "transformers.activations.ReLUSquaredActivation";
    }

    @Override
    protected Value forward(Scope s, Value... in) {
        s.line("relu_applied = nn.functional.relu(input)");
        Value positive = s.op("aten.relu.default", "self", in[0]);
        s.line("squared = torch.square(relu_applied)");
        return s.op("aten.pow.Tensor_Scalar", "self", positive, "exponent", 2);
    }
}
