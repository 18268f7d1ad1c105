package dev.headroom.executor.op.recurrent;

import dev.headroom.executor.kernel.RecurrentKernels.Cell;
import dev.headroom.executor.kernel.RecurrentLayers;
import dev.headroom.executor.op.elementwise.Activation;
import dev.headroom.executor.op.elementwise.ElementwiseOperators;
import dev.headroom.executor.op.matrix.Matmul;
import dev.headroom.executor.op.registry.Arguments;
import dev.headroom.executor.op.registry.Operators;
import dev.headroom.executor.runtime.Eager;
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
        long hidden = states[0].size(2);
        RecurrentLayers layers = new RecurrentLayers(
                cell,
                a.tensor("input").size(2),
                hidden,
                Math.toIntExact(a.integer("num_layers", 1)),
                a.flag("bidirectional", false));
        if (params.length != layers.parts() * (hasBiases ? 4 : 2)) {
            throw refused(a, "LSTMs with projections are not supported");
        }
        if (a.real("dropout", 0) > 0 && a.flag("train", true)) {
            throw refused(a, "dropout between recurrent layers is not supported");
        }
        if (e.autocast().type() != null) {
            throw refused(a, "recurrent layers under autocast are not supported");
        }
        return new CudnnRnn(e, layers, a.flag("batch_first", false), a.flag("train", true), hasBiases)
                .run(a.tensor("input"), params, states[0], states[1]);
    }

    private static UserInputException refused(Arguments a, String why) {
        return new UserInputException(a.node().target() + " in '" + a.node().module() + "': " + why);
    }
}
