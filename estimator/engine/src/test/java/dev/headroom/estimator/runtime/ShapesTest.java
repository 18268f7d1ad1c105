package dev.headroom.estimator.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Shapes;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ShapesTest {
    private static long[] of(long... v) {
        return v;
    }

    @Test
    void stridesOfTheTwoLayouts() {
        assertArrayEquals(of(60, 20, 5, 1), Shapes.contiguous(of(2, 3, 4, 5)));
        assertArrayEquals(of(60, 1, 15, 3), Shapes.channelsLast(of(2, 3, 4, 5)));
        assertTrue(Shapes.isChannelsLastContiguous(of(2, 3, 4, 5), of(60, 1, 15, 3)));
        assertFalse(Shapes.isContiguous(of(2, 3, 4, 5), of(60, 1, 15, 3)));
    }

    @Test
    void aViewJoinsAndSplitsDimensionsOnlyWhereMemoryAllows() {
        assertArrayEquals(of(5, 1), Shapes.viewStrides(of(2, 3, 5), of(15, 5, 1), of(6, 5)));
        assertArrayEquals(of(15, 5, 1), Shapes.viewStrides(of(6, 5), of(5, 1), of(2, 3, 5)));
        assertNull(Shapes.viewStrides(of(3, 2), of(1, 3), of(6)));
    }

    @Test
    void broadcastingFollowsNumPy() {
        assertArrayEquals(of(4, 3, 5), Shapes.broadcast(of(3, 1), of(4, 1, 5)));
        assertThrows(UserInputException.class, () -> Shapes.broadcast(of(3), of(4)));
    }

    @Test
    void aPreservedLayoutIsPacked() {
        assertArrayEquals(of(1, 3), Shapes.preserved(of(3, 4), of(1, 3)));
        assertArrayEquals(of(4, 1), Shapes.preserved(of(3, 4), of(8, 1)));
        assertArrayEquals(of(1, 3), Shapes.preserved(of(3, 4), of(1, 6)));
    }

    @Test
    void impossibleSizesAreRefused() {
        assertThrows(UserInputException.class, () -> Shapes.numel(of(1L << 40, 1L << 40)));
        assertThrows(UserInputException.class, () -> Shapes.numel(of(3, -1)));
        assertThrows(UserInputException.class, () -> Shapes.inferSize(of(-1, 4), 6));
        assertThrows(UserInputException.class, () -> Shapes.wrap(3, 3));
        assertEquals(2, Shapes.wrap(-1, 3));
    }

    @Property
    void denseStridesOfAnyOrderAreNonOverlappingAndDense(
            @ForAll @Size(min = 1, max = 5) long[] raw, @ForAll long seed) {
        long[] sizes = new long[raw.length];
        int[] order = new int[raw.length];
        for (int i = 0; i < raw.length; i++) {
            sizes[i] = 1 + Math.floorMod(raw[i], 7);
            order[i] = i;
        }
        java.util.Random random = new java.util.Random(seed);
        for (int i = order.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int t = order[i];
            order[i] = order[j];
            order[j] = t;
        }
        long[] strides = Shapes.denseInOrder(sizes, order);
        assertTrue(Shapes.isNonOverlappingAndDense(sizes, strides));
        assertArrayEquals(strides, Shapes.preserved(sizes, strides));
    }

    @Property
    void aContiguousTensorCanBeSeenInAnyShape(
            @ForAll @LongRange(min = 1, max = 9) long a,
            @ForAll @LongRange(min = 1, max = 9) long b,
            @ForAll @LongRange(min = 1, max = 9) long c) {
        long[] strides = Shapes.viewStrides(of(a * b, c), Shapes.contiguous(of(a * b, c)), of(a, b * c));
        assertTrue(Shapes.isContiguous(of(a, b * c), strides));
    }
}
