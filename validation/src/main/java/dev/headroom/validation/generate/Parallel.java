package dev.headroom.validation.generate;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import org.jspecify.annotations.Nullable;

/** Several modules on one input: their results joined along a dimension, or added one after the other. */
final class Parallel extends Layer {
    private final @Nullable Integer dim;
    private final Layer[] branches;

    Parallel(@Nullable Integer dim, Layer... branches) {
        this.dim = dim;
        this.branches = branches;
        for (int i = 0; i < branches.length; i++) {
            child(Integer.toString(i), branches[i]);
        }
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        return dim == null ? sum(scope, inputs[0]) : joined(scope, inputs[0], dim);
    }

    private Value joined(Scope scope, Value x, int along) {
        Value[] out = new Value[branches.length];
        for (int i = 0; i < out.length; i++) {
            scope.line("out" + i + " = self.branches[" + i + "](x)");
            out[i] = scope.call(branches[i], x);
        }
        scope.line("return torch.cat(outputs, self.dim)");
        return scope.op("aten.cat.default", Scope.arguments("tensors", out, "dim", along));
    }

    private Value sum(Scope scope, Value x) {
        scope.line("out = self.branches[0](x)");
        Value out = scope.call(branches[0], x);
        for (int i = 1; i < branches.length; i++) {
            scope.line("out = out + self.branches[" + i + "](x)");
            Value next = scope.call(branches[i], x);
            out = scope.op("aten.add.Tensor", Scope.arguments("self", out, "other", next));
        }
        return out;
    }
}
