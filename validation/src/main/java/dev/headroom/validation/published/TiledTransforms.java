package dev.headroom.validation.published;

/**
 * Workspace of cuDNN's forward convolution by tiled Fourier transforms (CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING), which
 * cuDNN 9 no longer has: the transforms of all images, filters and results, each a plane of 32 x 17 complex numbers.
 * Found from what NVIDIA's sample mnistCUDNN prints with cuDNN 8 for its two convolutions, both of which fit one tile;
 * cuDNN 7 prints 24 KiB more for the first.
 */
final class TiledTransforms {
    private static final long TILE = 32;
    private static final long PLANE = TILE * (TILE / 2 + 1) * 8;

    private TiledTransforms() {}

    /** Whether padded images fit one tile; of others nothing was printed. */
    static boolean oneTile(long height, long width, long padHeight, long padWidth) {
        return height + 2 * padHeight <= TILE && width + 2 * padWidth <= TILE;
    }

    /**
     * Bytes for one tile.
     *
     * @param images batch size
     * @param in channels of an image
     * @param out channels of a result
     */
    static long bytes(long images, long in, long out) {
        return PLANE * (images * in + in * out + images * out);
    }
}
