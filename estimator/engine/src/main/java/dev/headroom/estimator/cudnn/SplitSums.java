package dev.headroom.estimator.cudnn;

import dev.headroom.allocator.Bytes;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * The workspace of convolutions whose sums are split among the multiprocessors of a GPU of compute capability 9.0
 * (cuDNN's engines 62 and 67 forward, 67 and 71 for the gradient of the input, 65 and 68 for that of the weight, which
 * schedule work as CUTLASS's stream-K does).
 *
 * <p>The result is cut into tiles, a cluster of thread blocks works on some of them at once, and as many clusters run
 * at once as the GPU has room for. Tiles that do not fill the last wave are summed by several thread blocks each, whose
 * partial results lie in the workspace, with a counter for each of the joins that add them up in a tree. Measured on an
 * H200 and an H100, see {@code fixtures/cudnn/README.md}.
 */
final class SplitSums {
    /**
     * Thread blocks that run at once, by the size of a cluster: a cluster must lie in one of the GPU's processing
     * clusters, of which some have more multiprocessors than others. As an H200 was seen to have.
     */
    private static final Map<Integer, Long> AT_ONCE =
            Map.of(1, 132L, 2, 132L, 3, 117L, 4, 120L, 5, 110L, 6, 102L, 7, 105L, 8, 120L, 16, 112L);

    private static final long FLOAT = 4;

    /** Room to align what follows the copies. */
    private static final long ALIGNMENT = 127;

    /** A counter of tiles, with which thread blocks that run longer than two waves fetch the next. */
    private static final long NEXT_TILE = 4;

    /** What stands before the counters of joins. */
    private static final long JOINS_HEADER = 32;

    private static final int FULL_WAVES = 2;

    /** Thread blocks that a cuDNN counts on that finds no GPU. */
    private static final long BLOCKS_WITHOUT_DRIVER = 18;

    /**
     * How the result is cut.
     *
     * @param rows rows of a tile
     * @param columns columns of a tile
     * @param clusterRows tiles of a cluster along the rows
     * @param clusterColumns tiles of a cluster along the columns
     */
    record Cut(int rows, int columns, int clusterRows, int clusterColumns) {
        long area() {
            return (long) rows * columns;
        }

        private long tiles(Product product) {
            return ConvolutionShape.up(Bytes.ceilDiv(product.rows(), rows), clusterRows)
                    * ConvolutionShape.up(Bytes.ceilDiv(product.columns(), columns) * product.blocks(), clusterColumns);
        }

        private long atOnce() {
            return AT_ONCE.getOrDefault(clusterRows * clusterColumns, 0L);
        }

        private long atOnceWithoutDriver() {
            long cluster = (long) clusterRows * clusterColumns;
            return BLOCKS_WITHOUT_DRIVER / cluster * cluster;
        }
    }

    /**
     * The product of matrices that a convolution amounts to.
     *
     * @param rows rows of the result
     * @param columns columns of one block of the result
     * @param blocks blocks of columns, each cut on its own
     * @param steps steps that the sum of an element takes
     */
    private record Product(long rows, long columns, long blocks, long steps) {
        /** Elements that a sum advances by, in bytes. */
        private static final long STEP_BYTES = 128;

        static Product of(Direction direction, ConvolutionShape q) {
            long step = STEP_BYTES / q.element();
            long inputs = q.n() * q.inputPixels();
            long outputs = q.n() * q.outputPixels();
            return switch (direction) {
                case FORWARD -> new Product(outputs, q.k(), 1, Bytes.ceilDiv(q.c(), step) * q.taps());
                case DATA -> new Product(inputs, q.c(), 1, Bytes.ceilDiv(q.k(), step) * q.taps());
                case FILTER -> new Product(q.k(), q.c(), q.taps(), Bytes.ceilDiv(outputs, step));
            };
        }
    }

    private SplitSums() {}

    /** Bytes of a plan that splits no sum. */
    static long whole(ConvolutionShape shape) {
        return WorkspaceTerms.copies(shape);
    }

    /** Bytes of a plan that splits no sum and counts its tiles. */
    static long counted(ConvolutionShape shape) {
        return whole(shape) + ALIGNMENT + NEXT_TILE;
    }

    /** Bytes of a plan that may split sums; of one group. */
    static long bytes(Direction direction, ConvolutionShape q, Cut cut) {
        Product product = Product.of(direction, q);
        long tiles = cut.tiles(product);
        long atOnce = cut.atOnce();
        long parts = SumParts.of(q, product.steps(), room(tiles, atOnce), tiles > atOnce, cut.area());
        return bytes(q, cut, tiles, atOnce, parts);
    }

    /** Whether a cuDNN that finds no GPU may have had this plan in mind when it asked for some bytes. */
    static boolean explains(Direction direction, ConvolutionShape q, Cut cut, long bytes) {
        long tiles = cut.tiles(Product.of(direction, q));
        long atOnce = cut.atOnceWithoutDriver();
        return LongStream.rangeClosed(1, Math.max(1, room(tiles, atOnce)))
                .anyMatch(parts -> bytes(q, cut, tiles, atOnce, parts) == bytes);
    }

    /** In how many parts those tiles could be split that do not fill a wave; 0 when none is left. */
    private static long room(long tiles, long atOnce) {
        return atOnce == 0 || tiles % atOnce == 0 ? 0 : atOnce / (tiles % atOnce);
    }

    private static long bytes(ConvolutionShape q, Cut cut, long tiles, long atOnce, long parts) {
        long next = atOnce > 0 && tiles > FULL_WAVES * atOnce ? NEXT_TILE : 0;
        if (parts < 2) {
            return next == 0 ? whole(q) : counted(q);
        }
        long rest = tiles % atOnce;
        return whole(q)
                + ALIGNMENT
                + next
                + JOINS_HEADER
                + rest * parts * cut.area() * FLOAT
                + rest * joins(parts) * FLOAT;
    }

    /** The joins of a tree over some parts, which are halved, rounded up, at each level. */
    private static long joins(long parts) {
        long joins = 0;
        for (long left = parts; left > 1; ) {
            left = Bytes.ceilDiv(left, 2);
            joins += left;
        }
        return joins;
    }
}
