package dev.headroom.estimator.op.recurrent;

import dev.headroom.estimator.op.rule.Registry;

/** Single steps of recurrent networks; {@link RecurrentCells} plays them. */
public final class CellRules {
    private CellRules() {}

    public static void register(Registry r) {
        r.single("aten.rnn_tanh_cell", c -> RecurrentCells.plain(c, "TanhBackward0"));
        r.single("aten.rnn_relu_cell", c -> RecurrentCells.plain(c, "ReluBackward0"));
        r.single("aten.gru_cell", RecurrentCells::gru);
        r.add("aten.lstm_cell", RecurrentCells::lstm);
    }
}
