package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/**
 * What is dropped between recurrent layers in training: elements of a layer's output on its way to the next.
 *
 * @param rate how many, more than 0 and at most 1
 * @param states of cuDNN's generators, {@link RecurrentKernels#dropoutStatesBytes}
 * @param seed of the call, for a backend whose numbers depend on nothing else
 */
public record RecurrentDropout(double rate, Tensor states, long seed) {}
