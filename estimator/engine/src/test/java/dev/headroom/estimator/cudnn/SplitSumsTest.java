package dev.headroom.estimator.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Workspaces of plans that cuDNN 9.19 named on an H100 together with how they cut the result. */
class SplitSumsTest {
    private static final long BLOCKS = 132;
    private static final List<Integer> SIDES = List.of(64, 128, 256);
    private static final List<Integer> CLUSTERS = List.of(1, 2, 3, 4, 5, 6, 7, 8);

    /** A convolution of float32 in NCHW that keeps the size of its image. */
    private static ConvolutionShape shape(long n, long c, long size, long k, long r) {
        return new ConvolutionShape(n, c, size, size, k, r, r, size, size, 1, r / 2, 1, 1, Float.BYTES, false, false);
    }

    @ParameterizedTest
    @CsvSource({
        "FORWARD, 200, 256, 21, 256, 128, 128, 1, 2, 190857635",
        "FORWARD, 200, 128, 21, 256, 128, 128, 1, 2, 144519587",
        "FORWARD, 200, 128, 43, 128, 128, 128, 8, 1, 383459699",
        "FORWARD, 64, 1024, 28, 2048, 256, 128, 1, 2, 692060307",
        "FORWARD, 32, 256, 14, 256, 128, 128, 1, 2, 15204368",
        "FORWARD, 16, 256, 32, 32, 64, 64, 7, 1, 20775287",
        "DATA, 16, 2048, 14, 1024, 256, 128, 4, 1, 128713331",
        "DATA, 200, 256, 10, 512, 256, 128, 1, 2, 83198751",
        "DATA, 200, 256, 21, 256, 256, 128, 1, 2, 198722075",
        "DATA, 8, 128, 7, 2048, 128, 128, 4, 1, 17306095",
        "DATA, 4, 256, 32, 256, 128, 64, 5, 1, 13697559",
        "FILTER, 32, 512, 14, 512, 128, 128, 1, 1, 43778799",
        "FILTER, 32, 128, 112, 128, 128, 128, 1, 1, 419889831"
    })
    void bytesOfPlans(
            Direction direction,
            long n,
            long c,
            long size,
            long k,
            int rows,
            int columns,
            int clusterRows,
            int clusterColumns,
            long bytes) {
        SplitSums.Cut cut = new SplitSums.Cut(rows, columns, clusterRows, clusterColumns);
        assertEquals(bytes, SplitSums.bytes(direction, shape(n, c, size, k, 3), cut));
    }

    /** At most one wave of thread blocks has partial results: of each a tile, and of two of them a join or less. */
    @Property(tries = 500)
    void partialResultsAreOfOneWave(
            @ForAll Direction direction,
            @ForAll @IntRange(min = 1, max = 300) int n,
            @ForAll @IntRange(min = 1, max = 700) int c,
            @ForAll @IntRange(min = 1, max = 60) int size,
            @ForAll @IntRange(min = 1, max = 700) int k,
            @ForAll @IntRange(min = 0, max = 2) int rows,
            @ForAll @IntRange(min = 0, max = 2) int columns,
            @ForAll @IntRange(min = 0, max = 7) int cluster) {
        ConvolutionShape shape = shape(n, c, size, k, 3);
        SplitSums.Cut cut = new SplitSums.Cut(SIDES.get(rows), SIDES.get(columns), CLUSTERS.get(cluster), 1);
        long beside = SplitSums.bytes(direction, shape, cut) - SplitSums.whole(shape);
        long header = SplitSums.counted(shape) - SplitSums.whole(shape) + 32;
        assertTrue(beside >= 0 && beside <= header + BLOCKS * (cut.area() + 2) * Float.BYTES, () -> beside + " " + cut);
    }
}
