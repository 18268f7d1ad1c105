package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import dev.headroom.model.cudnn.RecurrentProblem;
import dev.headroom.model.graph.DType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call of recurrent layers: what the passes forward and backward share. The forward pass sets {@code y} and the
 * reserve.
 *
 * @param x (steps, batch, input)
 * @param first states and cells before the first step
 * @param weights all of them, as {@link RecurrentLayers} lays them out
 * @param y (steps, batch, directions × hidden), of the last layer
 * @param workspace of the pass that runs, as large as the kernels ask for
 * @param reserve what the forward pass keeps for the backward pass; {@code null} in inference
 * @param dropout {@code null} unless something is dropped
 */
public record RecurrentCall(
        Problem problem,
        Tensor x,
        States first,
        Tensor weights,
        Tensor y,
        Tensor workspace,
        @Nullable Tensor reserve,
        @Nullable RecurrentDropout dropout) {
    /** The reserve, for a backward pass. */
    public Tensor givenReserve() {
        return Objects.requireNonNull(reserve, "a reserve");
    }

    /** A pass over all layers. */
    public enum Pass {
        /** Forward, and nothing is kept. */
        INFERENCE,
        /** Forward, of training. */
        TRAINING,
        BACKWARD
    }

    /**
     * What is asked of a library before a call, such as how much workspace it needs.
     *
     * @param type of all tensors
     * @param pass which asks: PyTorch may choose another algorithm for the backward pass
     * @param dropout how many of the elements that a layer hands on are dropped
     */
    public record Problem(RecurrentLayers layers, DType type, long steps, long batch, Pass pass, double dropout) {
        /** As cuDNN is told. */
        public RecurrentProblem toCudnn() {
            return new RecurrentProblem(
                    layers.cell().gates(),
                    type,
                    steps,
                    batch,
                    layers.input(),
                    layers.hidden(),
                    layers.output(),
                    layers.count(),
                    layers.bidirectional(),
                    dropout > 0);
        }
    }

    /**
     * States between steps, or their gradients.
     *
     * @param h (parts, batch, hidden)
     * @param c the same of the cells; {@code null} unless they are an LSTM's
     */
    public record States(Tensor h, @Nullable Tensor c) {
        /** The cells of an LSTM. */
        public Tensor cells() {
            return Objects.requireNonNull(c, "cells");
        }
    }
}
