package dev.headroom.estimator.cudnn;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Map;

/**
 * The workspace of a gradient of the weight whose sum over all pixels is split among the multiprocessors of a GPU of
 * compute capability 9.0 (cuDNN's engines 65 and 68, which schedule work as CUTLASS's stream-K does).
 *
 * <p>The result is cut into tiles, a cluster of thread blocks works on some of them at once, and as many clusters run
 * at once as the GPU has room for. Tiles that do not fill the last wave are summed by several thread blocks each, whose
 * partial results lie in the workspace, with a counter for each of the joins that add them up in a tree. Measured on an
 * H200 and an H100, see {@code fixtures/cudnn/README.md}.
 */
final class SplitSums {
    /**
     * Thread blocks that run at once, by the size of a cluster: a cluster must lie in one of the GPU's processing
     * clusters, of which some have more multiprocessors than others. As an H200 was seen to have; an H100 had the same
     * but for 6, of which fewer fit.
     */
    private static final Map<Integer, Long> AT_ONCE =
            Map.of(1, 132L, 2, 132L, 3, 117L, 4, 120L, 5, 110L, 6, 96L, 7, 105L, 8, 120L, 16, 112L);

    /** Pixels that a sum advances by, in bytes of their elements. */
    private static final long STEP_BYTES = 128;

    private static final long FLOAT = 4;
    private static final long COUNTERS_HEADER = 159;

    private static final int FLOAT32 = 0;
    private static final int FLOAT16 = 1;
    private static final int BFLOAT16 = 2;

    /**
     * How the result is cut.
     *
     * @param outputs output channels of a tile
     * @param inputs input channels of a tile
     * @param clusterOutputs tiles of a cluster along the output channels
     * @param clusterInputs tiles of a cluster along the input channels and taps
     */
    record Cut(int outputs, int inputs, int clusterOutputs, int clusterInputs) {}

    /** In how many parts cuDNN splits the sum of a tile: fewer than there is room for where sums are short. */
    private static final class Parts {
        private static final String FILE = "rules/sums/parts-90.gz";
        private static final Parts READ = RuleFile.read(FILE, Parts::new);

        private enum Kind {
            /** A number of parts. */
            FIXED,
            /** As many as there is room for. */
            ROOM,
            /** Parts that are longer than a number of steps. */
            LONGER
        }

        private final Kind[] kinds;
        private final int[] numbers;
        private final DecisionTree tree;

        private Parts(DataInputStream in) throws IOException {
            kinds = new Kind[in.readUnsignedShort()];
            numbers = new int[kinds.length];
            for (int i = 0; i < kinds.length; i++) {
                kinds[i] = Kind.values()[in.readUnsignedByte()];
                numbers[i] = in.readUnsignedShort();
            }
            tree = DecisionTree.read(in);
        }

        long of(long steps, long tiles, long rest, long room, long waves, Cut cut, int type) {
            int outcome =
                    tree.outcome(new float[] {steps, tiles, rest, room, waves, cut.outputs(), cut.inputs(), type});
            return switch (kinds[outcome]) {
                case FIXED -> numbers[outcome];
                case ROOM -> room;
                case LONGER -> (steps - 1) / numbers[outcome];
            };
        }
    }

    private SplitSums() {}

    /** Bytes of a plan that splits no sum. */
    static long whole(ConvolutionShape shape) {
        return WorkspaceTerms.copies(shape);
    }

    /** Bytes of a plan that may split sums; of one group. */
    static long bytes(ConvolutionShape q, Cut cut) {
        long outputTiles = ConvolutionShape.up(ceil(q.k(), cut.outputs()), cut.clusterOutputs());
        long inputTiles = ConvolutionShape.up(ceil(q.c(), cut.inputs()) * q.taps(), cut.clusterInputs());
        long tiles = outputTiles * inputTiles;
        long atOnce = AT_ONCE.getOrDefault(cut.clusterOutputs() * cut.clusterInputs(), 0L);
        long rest = atOnce == 0 ? 0 : tiles % atOnce;
        if (rest == 0) {
            return whole(q);
        }
        long steps = ceil(q.n() * q.outputPixels(), STEP_BYTES / q.element());
        int type = q.element() == FLOAT ? FLOAT32 : q.bfloat() ? BFLOAT16 : FLOAT16;
        long parts = Parts.READ.of(steps, tiles, rest, atOnce / rest, tiles / atOnce, cut, type);
        if (parts < 2) {
            return whole(q);
        }
        return whole(q)
                + COUNTERS_HEADER
                + rest * parts * cut.outputs() * cut.inputs() * FLOAT
                + rest * joins(parts) * FLOAT;
    }

    /** The joins of a tree over some parts, which are halved, rounded up, at each level. */
    private static long joins(long parts) {
        long joins = 0;
        for (long left = parts; left > 1; ) {
            left = ceil(left, 2);
            joins += left;
        }
        return joins;
    }

    private static long ceil(long value, long unit) {
        return (value + unit - 1) / unit;
    }
}
