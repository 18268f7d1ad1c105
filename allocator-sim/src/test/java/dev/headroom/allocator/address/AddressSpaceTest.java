package dev.headroom.allocator.address;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class AddressSpaceTest {
    /** The lowest gap that is large enough serves; neighbours that are given back are one gap again. */
    @Property(tries = 60)
    void addressesComeFromTheLowestGap(@ForAll long seed) {
        Random random = new Random(seed);
        Addresses space = Placement.ASCENDING.between(100, 600);
        boolean[] used = new boolean[500];
        long[] sizes = new long[500];
        for (int i = 0; i < 200; i++) {
            int at = random.nextInt(500);
            if (random.nextInt(4) == 0) {
                space = space.copy();
            }
            if (random.nextBoolean()) {
                int bytes = 1 + random.nextInt(40);
                int expected = lowest(used, bytes);
                assertEquals(expected < 0 ? Addresses.NONE : 100 + expected, space.take(bytes));
                if (expected >= 0) {
                    Arrays.fill(used, expected, expected + bytes, true);
                    sizes[expected] = bytes;
                }
            } else {
                assertEquals(sizes[at] == 0 ? Addresses.NONE : sizes[at], space.drop(100 + at));
                Arrays.fill(used, at, at + (int) sizes[at], false);
                sizes[at] = 0;
            }
        }
    }

    private static int lowest(boolean[] used, int bytes) {
        int free = 0;
        for (int i = 0; i < used.length; i++) {
            free = used[i] ? 0 : free + 1;
            if (free == bytes) {
                return i + 1 - bytes;
            }
        }
        return -1;
    }
}
