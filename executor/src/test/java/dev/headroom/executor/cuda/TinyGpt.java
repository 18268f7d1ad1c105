package dev.headroom.executor.cuda;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Residual;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;

/** A decoder of two blocks: embedding, layer normalisation, causal attention, dropout, perceptrons, a linear head. */
final class TinyGpt {
    static final int TOKENS = 12;
    static final int WORDS = 20;

    private static final long WIDTH = 16;
    private static final long HEADS = 2;

    private TinyGpt() {}

    static Graph graph() {
        Layer block = Sequential.of(block(), block());
        return Model.of(
                        "gpt",
                        Sequential.of(
                                Layers.embedding(WORDS, WIDTH),
                                block,
                                Layers.layerNorm(WIDTH),
                                Layers.linear(WIDTH, WORDS)))
                .input("tokens", DType.INT64, Model.BATCH, TOKENS)
                .graph();
    }

    private static Layer block() {
        return Sequential.of(
                Residual.of(Sequential.of(Layers.layerNorm(WIDTH), new Attention(), Layers.dropout(0.1))),
                Residual.of(Sequential.of(
                        Layers.layerNorm(WIDTH),
                        Layers.linear(WIDTH, 4 * WIDTH),
                        Layers.gelu(),
                        Layers.linear(4 * WIDTH, WIDTH))));
    }

    /** Causal attention with its projections. */
    private static final class Attention extends Layer {
        private final Layer projection = child("projection", Layers.linear(WIDTH, 3 * WIDTH));
        private final Layer out = child("out", Layers.linear(WIDTH, WIDTH));

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            Value all = scope.call(projection, inputs[0]);
            scope.line("q, k, v = all.view(-1, tokens, 3, heads, size).permute(2, 0, 3, 1, 4).unbind()");
            Value split = scope.op(
                    "aten.view.default",
                    Scope.arguments("self", all, "size", new long[] {-1, TOKENS, 3, HEADS, WIDTH / HEADS}));
            Value turned = scope.op(
                    "aten.permute.default", Scope.arguments("self", split, "dims", new long[] {2, 0, 3, 1, 4}));
            Value[] qkv = scope.ops("aten.unbind.int", 3, Scope.arguments("self", turned));
            scope.line("y = scaled_dot_product_attention(q, k, v, is_causal=True)");
            Value y = scope.op(
                    "aten.scaled_dot_product_attention.default",
                    Scope.arguments(
                            "query", qkv[0], "key", qkv[1], "value", qkv[2], "dropout_p", 0.0, "is_causal", true));
            scope.line("y = y.transpose(1, 2).reshape(-1, tokens, width)");
            Value back = scope.op("aten.transpose.int", Scope.arguments("self", y, "dim0", 1, "dim1", 2));
            Value joined = scope.op(
                    "aten.reshape.default", Scope.arguments("self", back, "shape", new long[] {-1, TOKENS, WIDTH}));
            return scope.call(out, joined);
        }
    }
}
