package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.graph.DType;

/**
 * Recurrent kernels: whole layers as cuDNN computes them, and the fused cells of ATen. Tensors are row-major; what a cell
 * lacks is {@code null}: the cell state of all but LSTMs, biases that are not there, gradients that nobody has.
 */
public interface RecurrentKernels {
    /** What a cell computes; the order is that of {@code cudnnRNNMode_t}. */
    enum Cell {
        RELU(1, 1),
        TANH(1, 1),
        /** Gates: input, forget, candidate, output. */
        LSTM(4, 2),
        /** Gates: reset, update, candidate. */
        GRU(3, 2);

        private final int gates;
        private final int states;

        Cell(int gates, int states) {
            this.gates = gates;
            this.states = states;
        }

        /** Rows of the weights for each hidden unit. */
        public int gates() {
            return gates;
        }

        /** What a training run keeps of a unit beside its gates: the output, and the cell or the candidate's inner part. */
        int states() {
            return states;
        }
    }

    /**
     * A call.
     *
     * @param type of all tensors
     * @param backward whether for the backward pass, where PyTorch may choose another algorithm
     */
    record Problem(RecurrentLayers layers, DType type, long steps, long batch, boolean backward) {}

    /**
     * Bytes of workspace. Unless a library says otherwise: the products of a layer's input with its weights and, with
     * several layers, what they hand over to each other.
     */
    default long workspaceBytes(Problem p) {
        RecurrentLayers l = p.layers();
        long states =
                p.steps() * p.batch() * l.hidden() * l.directions() * p.type().bytes();
        return states * (l.cell().gates() + (l.count() > 1 ? 2 : 0));
    }

    /** Bytes that the forward pass keeps for the backward pass. Unless a library says otherwise: all gates and states. */
    default long reserveBytes(Problem p) {
        RecurrentLayers l = p.layers();
        long units = p.steps() * p.batch() * l.hidden() * l.parts() * p.type().bytes();
        return units * (l.cell().gates() + l.cell().states());
    }

    /**
     * Forward.
     *
     * @param y (steps, batch, directions × hidden), of the last layer
     * @param hy (parts, batch, hidden), as {@code cy}, {@code hx} and {@code cx}
     * @param x (steps, batch, input)
     * @param weights all of them, as {@link RecurrentLayers} lays them out
     * @param reserve {@code null} in inference
     */
    void forward(
            Problem p,
            Tensor y,
            Tensor hy,
            Tensor cy,
            Tensor x,
            Tensor hx,
            Tensor cx,
            Tensor weights,
            Tensor workspace,
            Tensor reserve);

    /** Gradients of inputs and initial states; changes the reserve, which {@link #weightGradient} needs afterwards. */
    void dataGradient(
            Problem p,
            Tensor dx,
            Tensor dhx,
            Tensor dcx,
            Tensor dy,
            Tensor dhy,
            Tensor dcy,
            Tensor y,
            Tensor hx,
            Tensor cx,
            Tensor weights,
            Tensor workspace,
            Tensor reserve);

    /** Adds the weights' gradients to {@code dweights}, which is laid out as the weights are. */
    void weightGradient(Problem p, Tensor dweights, Tensor x, Tensor hx, Tensor y, Tensor workspace, Tensor reserve);

    /**
     * A GRU's step.
     *
     * @param hy (batch, hidden)
     * @param kept (batch, 5 hidden): reset, update, candidate, the state before, the candidate's part from it
     * @param inputGates (batch, 3 hidden), without bias, as {@code hiddenGates}
     */
    void gruCell(
            Tensor hy,
            Tensor kept,
            Tensor inputGates,
            Tensor hiddenGates,
            Tensor hx,
            Tensor inputBias,
            Tensor hiddenBias);

    /** Its gradients. */
    void gruCellGradient(Tensor dInputGates, Tensor dHiddenGates, Tensor dhx, Tensor g, Tensor kept);

    /**
     * An LSTM's step.
     *
     * @param kept (batch, 4 hidden): the gates
     */
    void lstmCell(
            Tensor hy,
            Tensor cy,
            Tensor kept,
            Tensor inputGates,
            Tensor hiddenGates,
            Tensor cx,
            Tensor inputBias,
            Tensor hiddenBias);

    /** Its gradients; those of both products' gates are the same. */
    void lstmCellGradient(Tensor dGates, Tensor dcx, Tensor dhy, Tensor dcy, Tensor cx, Tensor cy, Tensor kept);
}
