package dev.headroom.executor.cuda;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.RecurrentCell;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A bidirectional encoder of two layers and a decoder that goes step by step, as translation models have them. */
final class TinySeq2Seq extends Layer {
    /** Sequences of a batch; the encoder's first states are for as many. */
    static final long BATCH = 4;

    static final int WORDS = 12;
    private static final long WIDTH = 5;
    private static final long HIDDEN = 4;
    private static final int STEPS = 3;

    private final Layer embedding = child("embedding", Layers.embedding(WORDS, WIDTH));
    private final Encoder encoder;
    private final Layer cell = child("cell", RecurrentCell.gru(WIDTH, HIDDEN));
    private final Layer head = child("head", Layers.linear(3 * HIDDEN, WORDS));

    private TinySeq2Seq(String kind) {
        encoder = child("encoder", new Encoder(kind));
    }

    /** @param kind {@code gru}, {@code lstm} or {@code rnn_tanh} */
    static Graph graph(String kind) {
        return Model.of("seq2seq", new TinySeq2Seq(kind))
                .input("x", DType.INT64, Model.BATCH, STEPS)
                .graph();
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        scope.line("x = self.embedding(tokens)");
        Value x = scope.call(embedding, inputs[0]);
        scope.line("feature = self.encoder(x)");
        Value feature = scope.call(encoder, x);
        scope.line("h = feature[:, 0, :4]");
        Value first = scope.op("aten.select.int", Scope.arguments("self", feature, "dim", 1, "index", 0));
        Value h = scope.op(
                "aten.slice.Tensor", Scope.arguments("self", first, "dim", 1, "start", 0, "end", (int) HIDDEN));
        List<Value> states = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            scope.line("h = self.cell(x[:, i], h)");
            Value step = scope.op("aten.select.int", Scope.arguments("self", x, "dim", 1, "index", i));
            h = scope.call(cell, step, h);
            scope.line("hs.append(h)");
            states.add(h);
        }
        scope.line("hs = torch.stack(hs, 1)");
        Value hs = scope.op("aten.stack.default", Scope.arguments("tensors", states.toArray(Value[]::new), "dim", 1));
        scope.line("return self.head(torch.cat([hs, feature], -1))");
        Value all = scope.op("aten.cat.default", Scope.arguments("tensors", new Value[] {hs, feature}, "dim", -1));
        return scope.call(head, all);
    }

    /** {@code nn.GRU} and its like. */
    private static final class Encoder extends Layer {
        private static final int LAYERS = 2;

        private final String kind;
        private final List<String> names = new ArrayList<>();

        Encoder(String kind) {
            this.kind = kind;
            long rows = HIDDEN * (kind.equals("lstm") ? 4 : kind.equals("gru") ? 3 : 1);
            for (int layer = 0; layer < LAYERS; layer++) {
                for (String suffix : new String[] {"_l" + layer, "_l" + layer + "_reverse"}) {
                    declare("weight_ih" + suffix, rows, layer == 0 ? WIDTH : 2 * HIDDEN);
                    declare("weight_hh" + suffix, rows, HIDDEN);
                    declare("bias_ih" + suffix, rows);
                    declare("bias_hh" + suffix, rows);
                }
            }
        }

        private void declare(String name, long... sizes) {
            parameter(name, sizes);
            names.add(name);
        }

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            boolean lstm = kind.equals("lstm");
            Map<String, Object> arguments = new LinkedHashMap<>();
            arguments.put("input", inputs[0]);
            arguments.put("hx", lstm ? new Value[] {zeros(scope), zeros(scope)} : zeros(scope));
            arguments.put("params", names.stream().map(scope::parameter).toArray(Value[]::new));
            arguments.put("has_biases", true);
            arguments.put("num_layers", LAYERS);
            arguments.put("dropout", 0.0);
            arguments.put("train", true);
            arguments.put("bidirectional", true);
            arguments.put("batch_first", true);
            return scope.ops("aten." + kind + ".input", lstm ? 3 : 2, arguments)[0];
        }

        private static Value zeros(Scope scope) {
            return scope.op("aten.zeros.default", Scope.arguments("size", new long[] {2 * LAYERS, BATCH, HIDDEN}));
        }
    }
}
