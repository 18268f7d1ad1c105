package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/** Random numbers. They depend on the seed and the element's number only: the same on every backend. */
public interface RandomKernels {
    /** Sets each element, in row-major order, to a number drawn uniformly from [from, to). */
    void uniform(Tensor result, double from, double to, long seed);

    /** Sets each element to a number drawn from a normal distribution. */
    void normal(Tensor result, double mean, double deviation, long seed);

    /** Sets each element to true with a probability. */
    void bernoulli(Tensor result, double probability, long seed);
}
