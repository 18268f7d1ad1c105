package dev.headroom.model.cudnn;

import dev.headroom.model.graph.DType;

/**
 * Recurrent layers as PyTorch describes them to cuDNN: sequences of one length, padded, two biases a gate
 * (aten/src/ATen/native/cudnn/RNN.cpp).
 *
 * @param gates rows of weights for each hidden unit: 4 of an LSTM, 3 of a GRU, 1 of a plain cell
 * @param type of all tensors
 * @param input elements of a step's input
 * @param hidden elements of a cell
 * @param output elements of a state: fewer than a cell has where an LSTM projects it
 * @param layers on top of each other
 * @param drops whether elements are dropped between layers
 */
public record RecurrentProblem(
        int gates,
        DType type,
        long steps,
        long batch,
        long input,
        long hidden,
        long output,
        int layers,
        boolean bidirectional,
        boolean drops) {
    private static final int LSTM_GATES = 4;

    /** Whether cells have a state of their own beside the output. */
    boolean isLstm() {
        return gates == LSTM_GATES;
    }

    /** Whether states are projections of what cells show. */
    boolean projects() {
        return output != hidden;
    }

    /** How often each layer runs. */
    public int directions() {
        return bidirectional ? 2 : 1;
    }

    /** A part is one direction of one layer. */
    int parts() {
        return layers * directions();
    }

    /** Bytes of a hidden state of all sequences, at one step in one direction. */
    long step() {
        return batch * hidden * type.bytes();
    }

    /** Bytes of the hidden states at all steps, in one direction. */
    long sequence() {
        return steps * step();
    }

    /** Bytes of the input at all steps. */
    long given() {
        return steps * batch * input * type.bytes();
    }

    /** Bytes of the states at all steps, in one direction: those that leave a layer. */
    long shown() {
        return steps * batch * output * type.bytes();
    }

    /** Bytes of all matrices. */
    long matrices() {
        long rows = gates * hidden;
        long first = rows * (input + output);
        long others = rows * (directions() * output + output);
        long projections = projects() ? layers * hidden * output : 0;
        return (long) type.bytes() * directions() * (first + (layers - 1) * others + projections);
    }
}
