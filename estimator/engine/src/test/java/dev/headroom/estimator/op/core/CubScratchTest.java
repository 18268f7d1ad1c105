package dev.headroom.estimator.op.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.estimator.runtime.DeviceModel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sizes that PyTorch 2.14 asked for in backward passes of embeddings. */
class CubScratchTest {
    @ParameterizedTest
    @CsvSource({
        // capability, bytes of an index, indices, rows, sort, unique, scan
        "90, 8, 3073, 2, 3583, 1279, 1279",
        "90, 8, 3073, 256, 55295, 1279, 1279",
        "90, 8, 4096, 50257, 71167, 1279, 1279",
        "90, 8, 4864, 50257, 84479, 1279, 1279",
        "90, 8, 100000, 50257, 1627135, 1535, 2047",
        "90, 8, 1000000, 250000, 16229887, 4351, 5631",
        "90, 4, 4864, 50257, 1, 1279, 1023",
        "90, 4, 4865, 50257, 45055, 1279, 1023",
        "90, 4, 1000000, 50257, 8162303, 3327, 1023",
        "86, 8, 4096, 50257, 72191, 1279, 1279",
        "86, 8, 3500, 50257, 61951, 1279, 1279",
        "75, 8, 3073, 2, 4607, 1279, 1279",
        "75, 8, 3500, 50257, 62975, 1279, 1279"
    })
    void equalsRecordings(int capability, int width, long n, long rows, long sort, long unique, long scan) {
        DeviceModel d = new DeviceModel(capability / 10, capability % 10, 1);
        assertEquals(sort, CubScratch.sortPairs(d, n, width, CubScratch.bits(rows)));
        assertEquals(unique, CubScratch.uniqueByKey(d, n, width));
        assertEquals(scan, CubScratch.scan(Math.min(n, rows), width));
    }

    /** Sizes of {@code nonzero} and of {@code unique_consecutive}, by 8 and by 4 bytes. */
    @ParameterizedTest
    @CsvSource({
        "90, 100000000, 190207, 190207, 123391",
        "90, 1000000, 2815, 2815, 2047",
        "80, 100000000, 348159, 417535, 174591",
        "80, 1000000, 4351, 5119, 2559",
        "86, 100000000, 1250815, 1250815, 625919",
        "89, 1000000, 13311, 13311, 7167",
        "75, 100000000, 1250815, 1250815, 625919"
    })
    void selections(int capability, long n, long flagged, long wide, long narrow) {
        DeviceModel d = new DeviceModel(capability / 10, capability % 10, 1);
        assertEquals(flagged, CubScratch.flagged(d, n));
        assertEquals(wide, CubScratch.unique(d, n, 8));
        assertEquals(narrow, CubScratch.unique(d, n, 4));
    }
}
