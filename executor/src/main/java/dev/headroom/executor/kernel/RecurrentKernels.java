package dev.headroom.executor.kernel;

import dev.headroom.executor.kernel.RecurrentCall.Problem;
import dev.headroom.executor.kernel.RecurrentCall.States;
import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Recurrent kernels: whole layers as cuDNN computes them, and the fused cells of ATen. Tensors are row-major; what a
 * cell lacks is {@code null}: the cell state of all but LSTMs, biases that are not there, gradients that nobody has.
 */
public interface RecurrentKernels {
    /**
     * Bytes of the states of cuDNN's random generators (cudnnDropoutGetStatesSize). Unless a library says otherwise: 48
     * for each of them.
     *
     * @param generators that cuDNN is thought to have
     */
    default long dropoutStatesBytes(long generators) {
        return 48 * generators;
    }

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

    /**
     * Bytes that the forward pass keeps for the backward pass. Unless a library says otherwise: all gates and states.
     */
    default long reserveBytes(Problem p) {
        RecurrentLayers l = p.layers();
        long units = p.steps() * p.batch() * l.hidden() * l.parts() * p.type().bytes();
        return units * (l.cell().gates() + l.cell().states());
    }

    /**
     * Sums of a cell's gates, of which the kernel adds up the two parts and the biases.
     *
     * @param fromInput (batch, gates × hidden), without bias, as {@code fromState}
     * @param inputBias (gates × hidden) or {@code null}, as {@code stateBias}
     */
    record Gates(
            Tensor fromInput,
            Tensor fromState,
            @Nullable Tensor inputBias,
            @Nullable Tensor stateBias) {}

    /** Gradients of an LSTM's state and cell, each {@code null} when nobody has it. */
    record StateGradients(@Nullable Tensor h, @Nullable Tensor c) {}

    /** Runs the layers: sets the call's output and reserve, and the states after the last step. */
    void forward(RecurrentCall call, States last);

    /**
     * Gradients of inputs and initial states; changes the reserve, which {@link #weightGradient} needs afterwards.
     *
     * @param dy of the output
     * @param dLast of the states after the last step
     * @param dx of the input, to be set
     * @param dFirst of the states before the first step, to be set
     */
    void dataGradient(RecurrentCall call, Tensor dy, States dLast, Tensor dx, States dFirst);

    /** Adds the weights' gradients to {@code dweights}, which is laid out as the weights are. */
    void weightGradient(RecurrentCall call, Tensor dweights);

    /**
     * A GRU's step.
     *
     * @param hx (batch, hidden), the state before
     * @param hy the state after, to be set
     * @param kept (batch, 5 hidden), to be set: reset, update, candidate, the state before, the candidate's part
     *     from it
     */
    void gruCell(Gates gates, Tensor hx, Tensor hy, Tensor kept);

    /**
     * Its gradients.
     *
     * @param g of the state after
     * @param dInputGates of the sums from the input, to be set, as {@code dHiddenGates} and {@code dhx}
     */
    void gruCellBackward(Tensor kept, Tensor g, Tensor dInputGates, Tensor dHiddenGates, Tensor dhx);

    /**
     * An LSTM's step.
     *
     * @param cx (batch, hidden), the cell before
     * @param after state and cell after, to be set
     * @param kept (batch, 4 hidden), to be set: the gates
     */
    void lstmCell(Gates gates, Tensor cx, States after, Tensor kept);

    /**
     * Its gradients; those of both products' gates are the same.
     *
     * @param cy the cell after
     * @param dAfter of state and cell after
     * @param dGates to be set, as {@code dcx}
     */
    void lstmCellBackward(Tensor kept, Tensor cx, Tensor cy, StateGradients dAfter, Tensor dGates, Tensor dcx);
}
