package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/** Normalisation kernels. */
public interface NormalizationKernels {
    /**
     * What the library's batch normalisation works with.
     *
     * @param reserve kept from the forward pass for the backward pass
     * @param workspace of the pass that runs
     */
    record Library(Tensor reserve, Tensor workspace, double epsilon) {}

    /** Bytes that the library's batch normalisation keeps from the forward pass for the backward pass. */
    long batchNormReserveBytes(Tensor x);

    /** Bytes of workspace of the library's batch normalisation while it trains. */
    long batchNormWorkspaceBytes(Tensor x, boolean backward);

    /**
     * Normalises every channel with its own mean and variance.
     *
     * @param out (n, c, …), as {@code x}
     * @param weight (c), may be {@code null}, as may be {@code bias}
     * @param runningMean (c), moved towards the mean by {@code momentum}; may be {@code null}, as its variance
     * @param mean (c), set
     * @param invstd (c), one over the standard deviation, set
     * @param library {@code null}: by kernels of the framework's own
     */
    void batchNorm(
            Tensor out,
            Tensor x,
            Tensor weight,
            Tensor bias,
            Tensor runningMean,
            Tensor runningVariance,
            Tensor mean,
            Tensor invstd,
            double momentum,
            double epsilon,
            Library library);

    /** Normalises every channel with a given mean and variance. */
    void batchNormEvaluation(
            Tensor out, Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor variance, double epsilon);

    /**
     * Gradients of {@link #batchNorm}; results that are {@code null} are not wanted.
     *
     * @param g gradient of the result
     * @param library as in the forward pass
     */
    void batchNormBackward(
            Tensor gradX,
            Tensor gradWeight,
            Tensor gradBias,
            Tensor g,
            Tensor x,
            Tensor weight,
            Tensor mean,
            Tensor invstd,
            Library library);

    /** Gradients of {@link #batchNormEvaluation}; results that are {@code null} are not wanted. */
    void batchNormEvaluationBackward(
            Tensor gradX,
            Tensor gradWeight,
            Tensor gradBias,
            Tensor g,
            Tensor x,
            Tensor weight,
            Tensor mean,
            Tensor variance,
            double epsilon);

    /**
     * Normalises groups of channels of each sample.
     *
     * @param out (n, c, …), as {@code x}
     * @param weight (c), may be {@code null}, as may be {@code bias}
     * @param mean (n, groups), set, as {@code rstd}
     */
    void groupNorm(
            Tensor out, Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor rstd, int groups, double epsilon);

    /** Gradients of {@link #groupNorm}; results that are {@code null} are not wanted. */
    void groupNormBackward(
            Tensor gradX,
            Tensor gradWeight,
            Tensor gradBias,
            Tensor g,
            Tensor x,
            Tensor weight,
            Tensor mean,
            Tensor rstd,
            int groups);

    /**
     * Layer normalisation of rows.
     *
     * @param result (rows, n), row-major as all of them
     * @param mean (rows), to be set
     * @param rstd (rows), one over the standard deviation, to be set
     * @param x (rows, n)
     * @param weight (n), or {@code null} for ones
     * @param bias (n), or {@code null} for zeros
     */
    void layerNorm(Tensor result, Tensor mean, Tensor rstd, Tensor x, Tensor weight, Tensor bias, double epsilon);

    /**
     * Gradients of layer normalisation; {@code null} for those that are not wanted.
     *
     * @param dx (rows, n)
     * @param dweight (n)
     * @param dbias (n)
     * @param g (rows, n), the result's gradient
     */
    void layerNormGradient(
            Tensor dx, Tensor dweight, Tensor dbias, Tensor g, Tensor x, Tensor mean, Tensor rstd, Tensor weight);
}
