package dev.headroom.estimator.op.convolution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShapedParametersTest {
    @ParameterizedTest
    @CsvSource({
        // of networks that everybody has: input, kernel, result, stride, padding
        "224, 7, 112, 2, 3",
        "56, 3, 56, 1, 1",
        "56, 3, 28, 2, 1",
        "56, 1, 28, 2, 0",
        "224, 11, 55, 4, 2",
        "224, 16, 14, 16, 0",
        "35, 3, 33, 1, 0",
        "7, 7, 1, 7, 0"
    })
    void strideAndPaddingAreThoseOfTheLayer(long from, long kernel, long to, long stride, long padding) {
        Convolution.Parameters p = ShapedParameters.of(
                        new long[] {8, 16, from, from}, new long[] {32, 16, kernel, kernel}, new long[] {8, 32, to, to})
                .orElseThrow();
        assertArrayEquals(new long[] {stride, stride}, p.stride());
        assertArrayEquals(new long[] {padding, padding}, p.padding());
        assertEquals(1, p.groups());
    }

    @ParameterizedTest
    @CsvSource({"16, 2, 32, 2, 0, 0", "16, 4, 32, 2, 1, 0", "7, 3, 14, 2, 1, 1"})
    void transposedOnesMakeImagesLarger(long from, long kernel, long to, long stride, long padding, long more) {
        Convolution.Parameters p = ShapedParameters.of(
                        new long[] {8, 16, from, from}, new long[] {16, 32, kernel, kernel}, new long[] {8, 32, to, to})
                .orElseThrow();
        assertTrue(p.transposed());
        assertArrayEquals(new long[] {stride, stride}, p.stride());
        assertArrayEquals(new long[] {padding, padding}, p.padding());
        assertArrayEquals(new long[] {more, more}, p.outputPadding());
    }

    /** Whatever is found, a convolution with it has this result. */
    @Property
    void whatIsFoundGivesTheShape(
            @ForAll @IntRange(min = 1, max = 40) int from,
            @ForAll @IntRange(min = 1, max = 9) int kernel,
            @ForAll @IntRange(min = 1, max = 5) int stride,
            @ForAll @IntRange(max = 4) int padding) {
        long to = (from + 2L * padding - kernel) / stride + 1;
        if (to < 1 || from + 2 * padding < kernel) {
            return;
        }
        Optional<Convolution.Parameters> found = ShapedParameters.of(
                new long[] {1, 4, from, from}, new long[] {6, 2, kernel, kernel}, new long[] {1, 6, to, to});
        found.filter(p -> !p.transposed()).ifPresent(p -> {
            assertEquals(2, p.groups());
            assertEquals(to, (from + 2 * p.padding()[0] - kernel) / p.stride()[0] + 1);
        });
    }

    @ParameterizedTest
    @CsvSource({"6272, 1, 14, 14, 384", "0, 0, 0, 0, 0", "5, 0, 0, 0, 0"})
    void matricesOfPixelsAreImages(long rows, long batch, long height, long width, long channels) {
        Optional<long[]> image =
                ShapedParameters.image(rows * 384, new long[] {32, 3, 56, 56}, new long[] {384, 3, 4, 4});
        if (batch == 0) {
            assertTrue(image.isEmpty());
        } else {
            assertArrayEquals(new long[] {32, channels, height, width}, image.orElseThrow());
        }
    }
}
