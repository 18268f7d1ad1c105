package dev.headroom.executor.parallel.pipeline;

import dev.headroom.executor.tensor.Tensor;

/** What the loop around a schedule does with the parts of a step. */
interface StepLoop {
    /** Runs a microbatch forward; the result has a reference for the caller. */
    Tensor forward(Stage stage, int chunk);

    /** Computes the loss of a microbatch, if the stage is the last. */
    void loss(Stage stage, Tensor output, int chunk);

    /** Runs a microbatch backward. */
    void backward(Stage stage, int chunk);

    /** All microbatches of a stage are through (perform_reduce_grad). */
    void reduce(Stage stage);
}
