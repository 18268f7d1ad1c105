package dev.headroom.validation.real;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a row of the table says for certain. */
class ImageModelsTest {
    @ParameterizedTest(name = "{0}, {1} MiB read, {2} MiB of tensors: {3}")
    @CsvSource({
        "fits, 19381, 16855, FITS",
        "fits, 21949, 75098, RAN_OUT", // more tensors than the card holds
        "edge, 39983, 58958, RAN_OUT",
        "edge, 39983, 37000, EDGE",
        "fits, 2797, 3055, EDGE", // stopped, but not for want of memory
        "oom, 2119, 4275, EDGE",
        "oom, 19043, 29000, RAN_OUT",
        "oom, 3677, 1289, EDGE", // read all that its tensors take: the smaller batch took more
    })
    void whatBecameOfARun(String state, long read, double tensors, RealRun.Fate fate) {
        assertEquals(fate, ImageModels.fate(state, read, tensors));
    }
}
