package dev.headroom.executor.kernel;

import dev.headroom.executor.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Maps of the last one to three dimensions that treat each dimension by itself: pooling, resampling and padding; and
 * sampling at given places.
 */
public interface VolumeKernels {
    /** Where an element of the result comes from along one dimension. */
    enum Kind {
        /** The elements of a window that are inside, each with the weight {@link Axis#scale}. */
        WINDOW,
        /** A window's mean; what lies in the padding counts. */
        MEAN_PADDED,
        /** A window's mean over what is inside. */
        MEAN_INSIDE,
        /** The mean of one of as many parts as the result has elements. */
        PARTS,
        /** One element: the place times the scale, rounded down. */
        NEAREST,
        /** Likewise from the middle of the place. */
        NEAREST_EXACT,
        /** Two neighbours. */
        LINEAR,
        /** Four neighbours (Keys' cubic convolution, with -0.75). */
        CUBIC,
        /** The place less the padding, mirrored at the borders. */
        MIRRORED,
        /** The place less the padding, held at the borders. */
        HELD,
        /** All neighbours under a triangle as wide as a step, or as two elements. */
        LINEAR_SMOOTHED,
        /** All neighbours under a cubic (Keys', with -0.5) as wide as two steps, or as four elements. */
        CUBIC_SMOOTHED
    }

    /**
     * One dimension's map.
     *
     * @param padding before the first element
     * @param scale elements of the source from one of the result to the next; or a window's weight
     * @param corners whether corners stay corners
     */
    record Axis(Kind kind, long kernel, long stride, long padding, long dilation, double scale, boolean corners) {
        /** A window that moves. */
        public static Axis window(Kind kind, long kernel, long stride, long padding, long dilation, double weight) {
            return new Axis(kind, kernel, stride, padding, dilation, weight, false);
        }

        /** One of as many parts as the result has elements. */
        public static Axis parts() {
            return new Axis(Kind.PARTS, 1, 1, 0, 1, 1, false);
        }

        /** Resampling. */
        public static Axis resampled(Kind kind, double scale, boolean corners) {
            return new Axis(kind, 1, 1, 0, 1, scale, corners);
        }

        /** Padding by the source's own elements; what is negative is cut off. */
        public static Axis padded(Kind kind, long before) {
            return new Axis(kind, 1, 1, before, 1, 1, false);
        }
    }

    /**
     * {@code im2col}: the windows of an image as columns.
     *
     * @param columns (n, channels × window, places)
     * @param image (n, channels, height, width)
     * @param axes windows over height and width
     */
    void columns(Tensor columns, Tensor image, Axis... axes);

    /** {@code col2im}: every element of the image is the sum of what columns hold of it. */
    void image(Tensor image, Tensor columns, Axis... axes);

    /** How {@code grid_sampler} finds values. */
    enum Sampling {
        LINEAR,
        NEAREST,
        CUBIC
    }

    /** What {@code grid_sampler} does beyond the borders. */
    enum Border {
        ZEROS,
        HELD,
        REFLECTED
    }

    /** How {@code grid_sampler} samples. */
    record Grid(Sampling sampling, Border border, boolean corners) {}

    /**
     * Greatest elements; weights do not count.
     *
     * @param places 64-bit: where each is in its volume, row by row
     * @param axes one for each of the last dimensions
     */
    void greatest(Tensor out, Tensor places, Tensor x, Axis... axes);

    /**
     * Adds each element to a place of another volume.
     *
     * @param into zeros before, or what is added to
     */
    void addAt(Tensor into, Tensor values, Tensor places, int dims);

    /** Takes from each volume the elements at given places. */
    void takeAt(Tensor out, Tensor x, Tensor places, int dims);

    /** Sums of elements with the product of the dimensions' weights. */
    void resample(Tensor out, Tensor x, Axis... axes);

    void resampleBackward(Tensor gradX, Tensor g, Axis... axes);

    /**
     * {@code grid_sampler}: values at places that run from -1 to 1.
     *
     * @param grid its last dimension is the place, the fastest coordinate first
     */
    void sample(Tensor out, Tensor x, Tensor grid, Grid how);

    /** @param gradX zeros before; {@code null} when not wanted */
    void sampleBackward(@Nullable Tensor gradX, Tensor gradGrid, Tensor g, Tensor x, Tensor grid, Grid how);

    /**
     * How a Fourier transform goes.
     *
     * @param dims that are transformed together
     * @param lengths of the signal in them
     * @param sign of the exponent: -1 from signals to spectra
     * @param mirrored whether the last of them holds the first half of what goes in alone
     */
    record Wave(int[] dims, long[] lengths, int sign, double scale, boolean mirrored) {}

    /**
     * {@code out[k] = scale * sum over n of in[n] exp(sign 2 pi i n k / length)}, for as many {@code k} as there are.
     *
     * @param out both parts, or the real one alone
     * @param in likewise; what a mirrored signal leaves out is the conjugate of its mirror image
     */
    void transform(Tensor[] out, Tensor[] in, Wave wave);
}
