package dev.headroom.validation.generate;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.RecurrentCell;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;

/** A recurrent cell in a Python loop; see {@link RandomLayer.Recurrent}. */
final class Unrolled extends Layer {
    private final RandomLayer.Recurrent options;
    private final Layer start;
    private final Layer cell;

    Unrolled(RandomLayer.Recurrent options) {
        this.options = options;
        start = child("start", Layers.linear(options.in(), options.hidden()));
        cell = child("cell", RecurrentCell.gru(options.in(), options.hidden()));
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        scope.line("h = torch.tanh(self.start(x.select(1, 0)))");
        Value first = scope.call(start, Reshaping.select(scope, inputs[0], 0));
        Value h = scope.op("aten.tanh.default", Scope.arguments("self", first));
        Value[] states = new Value[(int) options.length()];
        for (int t = 0; t < states.length; t++) {
            scope.line("h = self.cell(x.select(1, t), h)");
            h = scope.call(cell, Reshaping.select(scope, inputs[0], t), h);
            states[t] = h;
        }
        if (!options.stacked()) {
            return h;
        }
        scope.line("return torch.stack(states, 1)");
        return scope.op("aten.stack.default", Scope.arguments("tensors", states, "dim", 1));
    }
}
