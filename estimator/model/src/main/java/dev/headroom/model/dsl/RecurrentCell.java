package dev.headroom.model.dsl;

import java.util.LinkedHashMap;
import java.util.Map;

/** {@code nn.GRUCell}: call it with an input and a hidden state, as often as there are steps. */
public final class RecurrentCell extends Layer {
    private RecurrentCell(long input, long hidden) {
        parameter("weight_ih", 3 * hidden, input);
        parameter("weight_hh", 3 * hidden, hidden);
        parameter("bias_ih", 3 * hidden);
        parameter("bias_hh", 3 * hidden);
    }

    /** A gated recurrent unit. */
    public static RecurrentCell gru(long input, long hidden) {
        return new RecurrentCell(input, hidden);
    }

    @Override
    protected Value forward(Scope scope, Value... inputs) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        arguments.put("input", inputs[0]);
        arguments.put("hx", inputs[1]);
        arguments.put("w_ih", scope.parameter("weight_ih"));
        arguments.put("w_hh", scope.parameter("weight_hh"));
        arguments.put("b_ih", scope.parameter("bias_ih"));
        arguments.put("b_hh", scope.parameter("bias_hh"));
        return scope.op("aten.gru_cell.default", arguments);
    }

    @Override
    protected String type() {
        return "torch.nn.modules.rnn.GRUCell";
    }
}
