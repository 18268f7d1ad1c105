package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;

/** Pooling and resampling of the last two dimensions. */
public interface PoolingKernels {
    /** A window that moves over (height, width). */
    record Window(long[] kernel, long[] stride, long[] padding, long[] dilation) {}

    /**
     * How sizes become others.
     *
     * @param alignCorners whether corners stay corners
     * @param scales output over input by dimension as the user named them; 0 where sizes decide
     */
    record Scaling(boolean alignCorners, double[] scales) {}

    /**
     * Greatest elements.
     *
     * @param places 64-bit: where each is in its plane, row by row
     */
    void maxPool(Tensor out, Tensor places, Tensor x, Window window);

    /** Its gradient: sums up what goes to each place. */
    void maxPoolBackward(Tensor gradX, Tensor g, Tensor places);

    /**
     * Means.
     *
     * @param countsPadding whether zeros around the input count
     * @param divisor instead of the window's size; 0: none
     */
    void averagePool(Tensor out, Tensor x, Window window, boolean countsPadding, long divisor);

    void averagePoolBackward(Tensor gradX, Tensor g, Window window, boolean countsPadding, long divisor);

    /** Means of as many parts as the result has elements. */
    void adaptiveAveragePool(Tensor out, Tensor x);

    void adaptiveAveragePoolBackward(Tensor gradX, Tensor g);

    /** Nearest elements. */
    void nearest(Tensor out, Tensor x, Scaling scaling);

    void nearestBackward(Tensor gradX, Tensor g, Scaling scaling);

    /** Bilinear interpolation. */
    void bilinear(Tensor out, Tensor x, Scaling scaling);

    void bilinearBackward(Tensor gradX, Tensor g, Scaling scaling);
}
