package dev.headroom.executor.train;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import java.util.LinkedHashMap;
import java.util.Map;

/** The models of {@code compare.py}, with the same names of parameters. */
final class TinyModels {
    private static final long WIDTH = 8;
    private static final long LENGTH = 6;
    static final long TOKENS = 11;

    private TinyModels() {}

    static Graph mlp() {
        return Model.of(
                        "mlp",
                        Sequential.of(
                                Layers.linear(5, 7),
                                Layers.tanh(),
                                Layers.linear(7, 6),
                                Layers.relu(),
                                Layers.linear(6, 4)))
                .input("x", DType.FLOAT32, Model.BATCH, 5)
                .graph();
    }

    static Graph cnn() {
        return Model.of(
                        "cnn",
                        Sequential.of(
                                Layers.conv2d(2, 4, 3, 1, 1, 1, false),
                                Layers.batchNorm2d(4),
                                Layers.relu(),
                                Layers.maxPool2d(2, 2, 0),
                                Layers.conv2d(4, 6, 3, 1, 1),
                                Layers.batchNorm2d(6),
                                Layers.relu(),
                                Layers.adaptiveAvgPool2d(1, 1),
                                Layers.flatten(),
                                Layers.linear(6, 5)))
                .input("x", DType.FLOAT32, Model.BATCH, 2, 6, 6)
                .graph();
    }

    static Graph gpt() {
        return Model.of("gpt", new Gpt())
                .input("x", DType.INT64, Model.BATCH, LENGTH)
                .graph();
    }

    private static final class Gpt extends Layer {
        private final Layer tokens = child("tokens", Layers.embedding(TOKENS, WIDTH));
        private final Layer block = child("block", new Block());
        private final Layer head = child("head", Layers.linear(WIDTH, TOKENS, false));

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            Value made = scope.call(head, scope.call(block, scope.call(tokens, inputs[0])));
            return scope.op("aten.flatten.using_ints", Scope.arguments("self", made, "start_dim", 0, "end_dim", 1));
        }
    }

    private static final class Block extends Layer {
        private final Layer norm1 = child("norm1", Layers.layerNorm(WIDTH));
        private final Layer norm2 = child("norm2", Layers.layerNorm(WIDTH));
        private final Layer qkv = child("qkv", Layers.linear(WIDTH, 3 * WIDTH));
        private final Layer out = child("out", Layers.linear(WIDTH, WIDTH));
        private final Layer up = child("up", Layers.linear(WIDTH, 4 * WIDTH));
        private final Layer down = child("down", Layers.linear(4 * WIDTH, WIDTH));
        private final Layer gelu = child("gelu", Layers.gelu());

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            Value x = inputs[0];
            Value all = scope.call(qkv, scope.call(norm1, x));
            Value[] parts =
                    scope.ops("aten.split.Tensor", 3, Scope.arguments("self", all, "split_size", WIDTH, "dim", 2));
            Map<String, Object> arguments = new LinkedHashMap<>();
            arguments.put("query", heads(scope, parts[0]));
            arguments.put("key", heads(scope, parts[1]));
            arguments.put("value", heads(scope, parts[2]));
            arguments.put("is_causal", true);
            Value mixed = scope.op("aten.scaled_dot_product_attention.default", arguments);
            Value rows = scope.op(
                    "aten.reshape.default",
                    Scope.arguments("self", turned(scope, mixed), "shape", new long[] {-1, LENGTH, WIDTH}));
            Value y = add(scope, x, scope.call(out, rows));
            return add(scope, y, scope.call(down, scope.call(gelu, scope.call(up, scope.call(norm2, y)))));
        }

        private static Value heads(Scope scope, Value x) {
            return turned(scope, scope.op("aten.view.default", Scope.arguments("self", x, "size", new long[] {
                -1, LENGTH, 2, WIDTH / 2
            })));
        }

        private static Value turned(Scope scope, Value x) {
            return scope.op("aten.transpose.int", Scope.arguments("self", x, "dim0", 1, "dim1", 2));
        }

        private static Value add(Scope scope, Value a, Value b) {
            return scope.op("aten.add.Tensor", Scope.arguments("self", a, "other", b));
        }
    }
}
