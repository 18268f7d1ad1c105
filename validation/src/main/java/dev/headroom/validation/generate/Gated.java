package dev.headroom.validation.generate;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** {@code x * torch.sigmoid(body(x))}. */
final class Gated extends Layer {
    private final Layer body;

    Gated(Layer body) {
        this.body = child("body", body);
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        scope.line("return x * torch.sigmoid(self.body(x))");
        Value made = scope.call(body, inputs[0]);
        Value open = scope.op("aten.sigmoid.default", Scope.arguments("self", made));
        return scope.op("aten.mul.Tensor", Scope.arguments("self", inputs[0], "other", open));
    }
}
