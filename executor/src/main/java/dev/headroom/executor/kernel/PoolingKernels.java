package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

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

    /** How the parts of a region become elements (torchvision/csrc/ops/cuda). */
    enum RegionKind {
        /** Means of bilinear samples. */
        ALIGN,
        /** Greatest elements. */
        GREATEST,
        /** Means of samples, each part of a channel of its own. */
        ALIGN_OF_CHANNELS,
        /** Means of elements, each part of a channel of its own. */
        MEAN_OF_CHANNELS
    }

    /**
     * How regions of images are pooled.
     *
     * @param scale from the regions' coordinates to the images'
     * @param samples of a part along each dimension; 0 for as many as it is long
     * @param aligned whether coordinates are those of elements' corners
     */
    record Regions(RegionKind kind, double scale, long samples, boolean aligned) {}

    /**
     * Pools regions.
     *
     * @param places 32-bit: where each element came from, in its plane or which channel; {@code null} for none
     * @param regions rows of an image's number and two corners
     */
    void regions(Tensor out, @Nullable Tensor places, Tensor x, Tensor regions, Regions how);

    /** @param gradX zeros before */
    void regionsBackward(Tensor gradX, Tensor g, @Nullable Tensor places, Tensor regions, Regions how);

    /** Nearest elements. */
    void nearest(Tensor out, Tensor x, Scaling scaling);

    void nearestBackward(Tensor gradX, Tensor g, Scaling scaling);

    /** Bilinear interpolation. */
    void bilinear(Tensor out, Tensor x, Scaling scaling);

    void bilinearBackward(Tensor gradX, Tensor g, Scaling scaling);
}
