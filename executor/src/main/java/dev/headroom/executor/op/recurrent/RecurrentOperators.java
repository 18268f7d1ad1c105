package dev.headroom.executor.op.recurrent;

import dev.headroom.executor.kernel.RecurrentDropout;
import dev.headroom.executor.kernel.RecurrentLayers;
import dev.headroom.executor.kernel.RecurrentLayers.Cell;
import dev.headroom.executor.op.elementwise.Activation;
import dev.headroom.executor.op.elementwise.ElementwiseOperators;
import dev.headroom.executor.op.matrix.Matmul;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Scope;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.error.UserInputException;
import java.util.Map;

/** Recurrent networks: {@code gru}, {@code lstm}, {@code rnn_tanh}, {@code rnn_relu} and their cells. */
public final class RecurrentOperators {
    /** The operators that run whole layers. */
    public static final Map<String, Cell> LAYERS = Map.of(
            "aten.gru", Cell.GRU, "aten.lstm", Cell.LSTM, "aten.rnn_tanh", Cell.TANH, "aten.rnn_relu", Cell.RELU);

    private RecurrentOperators() {}

    public static void register(Operators o) {
        LAYERS.forEach((name, cell) -> o.add(name, (e, a) -> layers(e, a, cell)));
        o.add1("aten.gru_cell", (e, a) -> FusedCells.gru(e, a.tensor("input"), a.tensor("hx"), weights(a)));
        o.add1("aten.rnn_tanh_cell", (e, a) -> simpleCell(e, a, ElementwiseOperators.TANH));
        o.add1("aten.rnn_relu_cell", (e, a) -> simpleCell(e, a, ElementwiseOperators.RELU));
        o.add("aten.lstm_cell", (e, a) -> {
            Tensor[] states = a.tensors("hx");
            return FusedCells.lstm(e, a.tensor("input"), states[0], states[1], weights(a));
        });
    }

    /** RNN.cpp, SimpleCell: no kernel of its own. */
    private static Tensor simpleCell(Eager e, Arguments a, Activation activation) {
        return e.call(() -> {
            Tensor ofState = Matmul.linear(e, a.tensor("hx"), a.tensor("w_hh"), a.optional("b_hh"));
            Tensor ofInput = Matmul.linear(e, a.tensor("input"), a.tensor("w_ih"), a.optional("b_ih"));
            return activation.apply(e, Matmul.addInPlace(e, ofState, ofInput));
        });
    }

    private static FusedCells.Weights weights(Arguments a) {
        return new FusedCells.Weights(a.tensor("w_ih"), a.tensor("w_hh"), a.optional("b_ih"), a.optional("b_hh"));
    }

    private static Tensor[] layers(Eager e, Arguments a, Cell cell) {
        if (a.has("batch_sizes")) {
            throw refused(a, "packed sequences are not supported");
        }
        Tensor[] params = a.tensors("params");
        boolean hasBiases = a.flag("has_biases", true);
        Tensor[] states = cell == Cell.LSTM ? a.tensors("hx") : new Tensor[] {a.tensor("hx"), null};
        RecurrentLayers layers = new RecurrentLayers(
                cell,
                a.tensor("input").size(2),
                states[cell == Cell.LSTM ? 1 : 0].size(2),
                states[0].size(2),
                Math.toIntExact(a.integer("num_layers", 1)),
                a.flag("bidirectional", false));
        if (params.length != layers.parts() * layers.parameters(hasBiases)) {
            throw refused(a, "its weights are not those of its layers");
        }
        double rate = a.flag("train", true) ? a.real("dropout", 0) : 0;
        try (Scope s = e.open()) {
            RecurrentDropout dropout = rate == 0
                    ? null
                    : new RecurrentDropout(
                            rate, DropoutStates.of(e), e.randomness().next());
            CudnnRnn rnn =
                    new CudnnRnn(e, layers, a.flag("batch_first", false), a.flag("train", true), hasBiases, dropout);
            Tensor[] out = e.autocast().type() == null
                    ? rnn.run(a.tensor("input"), params, states[0], states[1])
                    : LoweredRnn.run(rnn, a.tensor("input"), params, states[0], states[1]);
            for (Tensor t : out) {
                s.pass(t);
            }
            return out;
        }
    }

    private static UserInputException refused(Arguments a, String why) {
        return new UserInputException(a.node().target() + " in '" + a.node().module() + "': " + why);
    }
}
