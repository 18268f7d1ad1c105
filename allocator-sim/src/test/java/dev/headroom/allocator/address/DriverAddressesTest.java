package dev.headroom.allocator.address;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class DriverAddressesTest {
    private static final long MIB = 1L << 20;
    private static final long TOP = 1024 * MIB;

    /**
     * Segments of GPT-2's first layers on an H100 (fixtures/recordings/h100/gpt2-b8-512-adamw.json.gz, from the 33rd
     * on), from the lowest address of the first chunk.
     */
    @Test
    void segmentsOfARecording() {
        long[] sizes = {48, 48, 48, 12, 12, 36, 2, 12, 12, 12, 48, 48, 48, 48, 48, 12, 12, 36, 12};
        long[] places = {
            0, -64, -128, -80, -16, -192, -156, -154, -142, 48, -256, -320, -384, -448, -512, -464, -400, -576, -540
        };
        Addresses driver = Placement.DRIVER.between(0, TOP);
        for (int i = 0; i < sizes.length; i++) {
            assertEquals(TOP + (places[i] - 64) * MIB, driver.take(sizes[i] * MIB), "segment " + i);
        }
    }

    @Test
    void emptyChunksAreGivenUp() {
        Addresses driver = Placement.DRIVER.between(0, TOP);
        long first = driver.take(20 * MIB);
        long beside = driver.take(2 * MIB);
        assertEquals(first + 20 * MIB, beside);
        driver.take(40 * MIB);
        assertEquals(20 * MIB, driver.drop(first));
        assertEquals(Addresses.NONE, driver.drop(first));
        assertEquals(2 * MIB, driver.drop(beside));
        assertEquals(first, driver.take(32 * MIB), "the highest range that is free");
    }

    @Property
    void rangesNeverOverlapAndCopiesGoTheirOwnWay(@ForAll long seed) {
        Random random = new Random(seed);
        Addresses driver = Placement.DRIVER.between(0, TOP);
        TreeMap<Long, Long> taken = new TreeMap<>();
        for (int i = 0; i < 200; i++) {
            if (random.nextInt(3) > 0 || taken.isEmpty()) {
                long bytes = (1 + random.nextInt(60)) * 2 * MIB;
                Addresses copy = driver.copy();
                long address = driver.take(bytes);
                assertEquals(address, copy.take(bytes), "a copy answers alike");
                if (address != Addresses.NONE) {
                    Map.Entry<Long, Long> before = taken.floorEntry(address);
                    Map.Entry<Long, Long> after = taken.ceilingEntry(address);
                    assertTrue(before == null || before.getKey() + before.getValue() <= address);
                    assertTrue(after == null || address + bytes <= after.getKey());
                    taken.put(address, bytes);
                }
            } else {
                long address = taken.navigableKeySet().stream()
                        .skip(random.nextInt(taken.size()))
                        .findFirst()
                        .orElseThrow();
                assertEquals(taken.remove(address), driver.drop(address));
            }
        }
        new HashMap<>(taken).forEach((address, bytes) -> assertEquals(bytes, driver.drop(address)));
        assertEquals(0, driver.take(TOP), "all that was given back is one range again");
    }
}
