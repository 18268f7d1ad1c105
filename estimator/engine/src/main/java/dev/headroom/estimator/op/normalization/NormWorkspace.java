package dev.headroom.estimator.op.normalization;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;

/**
 * What cuDNN works in while it normalises a channels-last batch in training. PyTorch asks for its persistent kernels
 * then (ATen/native/cudnn/BatchNorm.cpp, getCudnnBatchNormMode), whose blocks each sum up a tile of some rows and some
 * channels: two sums for each channel of the tile. The forward pass also has a counter for each tile. Other layouts
 * take nothing. Tiles and the rest are read off the answers of cuDNN 9.19 on an H100 (op/h100 of the test resources).
 *
 * @param rows of a tile with float32 input
 * @param halfRows of a tile with float16 input
 * @param counter bytes beside the sums of a tile
 * @param fixed bytes whatever the shape
 */
record NormWorkspace(int rows, int halfRows, int counter, int fixed) {
    static final NormWorkspace FORWARD = new NormWorkspace(64, 160, 4, 1072);
    static final NormWorkspace BACKWARD = new NormWorkspace(96, 96, 0, 1056);

    private static final int SUMS = 2 * 4;

    /** Bytes for each tile's group of channels, whatever the number of rows. */
    private static final int GROUP = 4;

    private static final int LANES = 16;

    /** Channels that a lane reads at once where their number is a multiple of it. */
    private static final int VECTOR = 4;

    /** Takes the workspace and gives it back, unless the run has none. */
    void use(EagerRuntime rt, Tensor x) {
        if (rt.options().stubCudnn() || rt.options().cudnnWorkspace() != null) {
            return;
        }
        long channels = x.size(1);
        if (channels % VECTOR != 0 && channels > LANES) {
            rt.workspaces().noteBound(); // not asked so far
        }
        rt.workspaces().useCudnn(bytes(channels, x.numel() / channels, x.dtype()));
    }

    /** @param rows everything but the channels */
    long bytes(long channels, long rows, DType type) {
        int tileRows = type == DType.FLOAT16 ? halfRows : this.rows;
        int width = LANES;
        if (channels % VECTOR == 0) {
            width = LANES * VECTOR;
        } else if (channels <= VECTOR) {
            width = VECTOR;
            tileRows *= LANES / VECTOR;
        }
        long groups = Bytes.ceilDiv(channels, width);
        return fixed + groups * (GROUP + Bytes.ceilDiv(rows, tileRows) * (width * SUMS + counter));
    }
}
