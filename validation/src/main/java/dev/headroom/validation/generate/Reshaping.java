package dev.headroom.validation.generate;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import org.jspecify.annotations.Nullable;

/** Modules that look at their input in another way. */
final class Reshaping {
    /** A module that is a function of its input. */
    private static final class Function extends Layer {
        /** What it does. */
        private interface Body {
            Value of(Scope scope, Value x);
        }

        private final String type;
        private final Body body;

        private Function(String type, Body body) {
            this.type = type;
            this.body = body;
        }

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            return body.of(scope, inputs[0]);
        }

        @Override
        protected String type() {
            return type;
        }
    }

    private Reshaping() {}

    /** The module of a layer, or {@code null} when it is none of these. */
    static @Nullable Layer of(RandomLayer layer) {
        Function.Body body = body(layer);
        return body == null ? null : new Function(layer.getClass().getSimpleName(), body);
    }

    private static Function.@Nullable Body body(RandomLayer layer) {
        if (layer instanceof RandomLayer.Tokens) {
            return (s, x) ->
                    transpose(s, s.op("aten.flatten.using_ints", Scope.arguments("self", x, "start_dim", 2)), 1, 2);
        }
        if (layer instanceof RandomLayer.Image i) {
            return (s, x) ->
                    s.op("aten.reshape.default", Scope.arguments("self", transpose(s, x, 1, 2), "shape", new long[] {
                        -1, i.channels(), i.height(), i.width()
                    }));
        }
        if (layer instanceof RandomLayer.Mean) {
            return (s, x) -> s.op("aten.mean.dim", Scope.arguments("self", x, "dim", new long[] {1}));
        }
        if (layer instanceof RandomLayer.Select l) {
            return (s, x) -> select(s, x, l.index());
        }
        if (layer instanceof RandomLayer.Crop c) {
            return (s, x) ->
                    s.op("aten.slice.Tensor", Scope.arguments("self", x, "dim", 1, "start", 0, "end", c.length()));
        }
        if (layer instanceof RandomLayer.Spread e) {
            return (s, x) -> s.op(
                    "aten.expand.default",
                    Scope.arguments(
                            "self",
                            s.op("aten.unsqueeze.default", Scope.arguments("self", x, "dim", 1)),
                            "size",
                            new long[] {-1, e.copies(), -1}));
        }
        if (layer instanceof RandomLayer.Halves) {
            return (s, x) -> {
                s.line("a, b = x.chunk(2, -1)");
                Value[] ab = s.ops("aten.chunk.default", 2, Scope.arguments("self", x, "chunks", 2, "dim", -1));
                s.line("return a * torch.sigmoid(b)");
                Value open = s.op("aten.sigmoid.default", Scope.arguments("self", ab[1]));
                return s.op("aten.mul.Tensor", Scope.arguments("self", ab[0], "other", open));
            };
        }
        return null;
    }

    static Value transpose(Scope scope, Value x, long a, long b) {
        return scope.op("aten.transpose.int", Scope.arguments("self", x, "dim0", a, "dim1", b));
    }

    static Value select(Scope scope, Value x, long index) {
        return scope.op("aten.select.int", Scope.arguments("self", x, "dim", 1, "index", index));
    }
}
