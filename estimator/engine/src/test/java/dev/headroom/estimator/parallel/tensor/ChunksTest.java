package dev.headroom.estimator.parallel.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts as {@code torch.chunk} makes them. */
class ChunksTest {
    @ParameterizedTest
    @CsvSource({"8,4,2,2", "10,4,3,1", "5,4,2,0", "3,8,1,0", "50257,8,6283,6276"})
    void theFirstAreAsLongAsTheLastAreShort(long length, int ranks, long first, long last) {
        assertEquals(first, Chunks.length(length, ranks, 0));
        assertEquals(last, Chunks.length(length, ranks, ranks - 1));
        assertEquals(
                length,
                IntStream.range(0, ranks)
                        .mapToLong(r -> Chunks.length(length, ranks, r))
                        .sum());
    }

    @Test
    void oneDimensionIsDivided() {
        assertArrayEquals(new long[] {2, 4, 6}, Chunks.local(new long[] {2, 8, 6}, 1, 2, 1));
    }
}
