package dev.headroom.estimator.cudnn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import dev.headroom.model.graph.DType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers of cuDNN 9.24 for gradients of weights, beside the sums that they are made of but for a header. */
class WorkspaceTermsTest {
    private static final long HEADER = 1500;

    private static ConvolutionShape shape(
            DType type, boolean channelsLast, List<Long> x, List<Long> w, List<Long> y, long padding) {
        List<Long> ones = List.of(1L, 1L);
        return ConvolutionShape.of(new ConvolutionProblem(
                        Direction.FILTER,
                        type,
                        channelsLast,
                        x,
                        w,
                        y,
                        ones,
                        List.of(padding, padding),
                        ones,
                        List.of(32L, 32L, 32L)))
                .orElseThrow();
    }

    private static long above(long answer, long base, long count, long unit) {
        return answer - base - count * unit;
    }

    private static void assertHeader(long rest) {
        assertEquals(HEADER / 2, rest, HEADER / 2.0);
    }

    /** On 9.0 the engine of long sums keeps 17 partial tiles of 64 by 64 beside the copies. */
    @Test
    void partialTilesAreSingle() {
        ConvolutionShape q = shape(
                DType.FLOAT32,
                false,
                List.of(96L, 48L, 14L, 14L),
                List.of(48L, 48L, 1L, 1L),
                List.of(96L, 48L, 14L, 14L),
                0);
        assertHeader(above(7_504_127, WorkspaceTerms.bases(q)[1], 17, WorkspaceTerms.units(q)[3]));
    }

    /** On 8.6 in half precision channels and taps are one dimension of the result, rounded up to its tile. */
    @Test
    void tapsAndChannelsAreOneDimension() {
        ConvolutionShape q = shape(
                DType.FLOAT16,
                true,
                List.of(1L, 120L, 14L, 14L),
                List.of(144L, 120L, 3L, 3L),
                List.of(1L, 144L, 14L, 14L),
                1);
        assertHeader(above(628_071, 0, 1, WorkspaceTerms.units(q)[21]));
    }

    /** Depthwise on 8.6 in half precision: 72 partial results of 32 channels, and the weights. */
    @Test
    void depthwiseChannelsComeInBlocks() {
        ConvolutionShape q = shape(
                DType.FLOAT16,
                true,
                List.of(10L, 16L, 64L, 64L),
                List.of(16L, 1L, 3L, 3L),
                List.of(10L, 16L, 64L, 64L),
                1);
        assertHeader(above(148_274, WorkspaceTerms.bases(q)[21], 2 * 72, WorkspaceTerms.units(q)[23]));
    }
}
