package dev.headroom.estimator.op.recurrent;

import dev.headroom.estimator.op.rule.Registry;
import dev.headroom.model.graph.DType;

/** Recurrent layers; {@link RecurrentLayers} plays them. */
public final class RecurrentRules {
    private RecurrentRules() {}

    public static void register(Registry r) {
        r.add("aten.rnn_tanh.input", c -> RecurrentLayers.run(c, 1));
        r.add("aten.rnn_relu.input", c -> RecurrentLayers.run(c, 1));
        r.add("aten.gru.input", c -> RecurrentLayers.run(c, 3));
        r.add("aten.lstm.input", c -> RecurrentLayers.run(c, 4));
    }

    /** Whether modules keep weights of a type in one buffer. */
    public static boolean flattens(DType type) {
        return RecurrentLayers.isFlattened(type);
    }
}
