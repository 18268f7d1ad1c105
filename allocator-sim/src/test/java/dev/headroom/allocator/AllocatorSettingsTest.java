package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The messages are those of PyTorch 2.14.1, after the settings themselves. */
class AllocatorSettingsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "foo:1|Unrecognized key 'foo' in CUDA allocator config.",
                "expandable_segments:true|Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'true'",
                "max_split_size_mb:10|CachingAllocator option max_split_size_mb too small, must be >= 20",
                "max_non_split_rounding_mb:19|"
                        + "CachingAllocator option max_non_split_rounding_mb too small, must be >= 20",
                "max_split_size_mb:30,large_segment_size_mb:32|"
                        + "CachingAllocator option max_split_size_mb too small, must be >= 32",
                "large_segment_size_mb:10|CachingAllocator option large_segment_size_mb must be > 10 MB",
                "roundup_power2_divisions:3|For roundups, the divisions has to be power of 2 ",
                "roundup_power2_divisions:0|For roundups, the divisions has to be power of 2 ",
                "roundup_power2_divisions:[3:8]|For roundups, the intervals have to be power of 2 ",
                "roundup_power2_divisions:[4:3]|"
                        + "For roundups, the divisions has to be power of 2 or 0 to disable roundup ",
                "roundup_power2_divisions:[64:8|Expected closing bracket ']'",
                "garbage_collection_threshold:1.5|garbage_collect_threshold is invalid, set it in (0.0, 1.0)",
                "per_process_memory_fraction:2|per_process_memory_fraction is invalid, set it in [0.0, 1.0]",
                "backend:foo|Unknown allocator backend, options are native and cudaMallocAsync",
                "backend:cudaMallocAsync|backend cudaMallocAsync is not modelled",
                "max_split_size_mb:abc|expected a number but got 'abc'",
                "max_split_size_mb 64|Unrecognized key 'max_split_size_mb64'",
                "expandable_segments|expected ':' but got the end",
                "expandable_segments:|a value is missing",
                "expandable_segments:True;backend:native|Expected 'True' or 'False'",
                "expandable_segments:True:backend|expected ',' but got ':'",
                "pinned_num_register_threads:3|Number of register threads has to be power of 2, got 3",
                "pinned_num_register_threads:256|"
                        + "Number of register threads should be less than or equal to 128, got 256",
                "pinned_reserve_segment_size_mb:0|Pinned reserve segment size has to be greater than 0",
            })
    void whatPyTorchRejects(String conf, String message) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> AllocatorSettings.parse(conf));
        assertTrue(e.getMessage().startsWith("allocator settings '" + conf + "': "), e.getMessage());
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    @Test
    void whatPyTorchAccepts() {
        AllocatorSettings s = AllocatorSettings.parse(" max_split_size_mb : 64MB , expandable_segments:True,"
                + "garbage_collection_threshold:0.8,large_segment_size_mb:32,backend:native,"
                + "pinned_use_background_threads:True,per_process_memory_fraction:0.5,throw_on_cudamalloc_oom:True,");
        assertEquals(64 * MIB, s.maxSplitSize());
        assertEquals(32 * MIB, s.largeSegmentSize());
        assertEquals(32 * MIB, s.maxNonSplitRounding());
        assertEquals(0.8, s.garbageCollectionThreshold());
        assertEquals(0.5, s.memoryFraction());
        assertTrue(s.expandableSegments() && s.rejectsEarly() && s.caching());
        assertFalse(s.withoutCaching().caching());
    }

    @Test
    void divisionListsFillAsInPyTorch() {
        assertArrayEquals(
                new int[] {8, 8, 8, 8, 8, 8, 8, 0, 4, 1, 1, 1, 1, 1, 1, 1},
                AllocatorSettings.parse("roundup_power2_divisions:[64:8,256:4,>:1]")
                        .roundupPower2Divisions());
        assertArrayEquals(
                new int[] {0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                AllocatorSettings.parse("roundup_power2_divisions:[>:2]").roundupPower2Divisions());
    }

    /** 1200 KiB lies between 1 and 2 MiB; with 4 divisions the next is 1.25 MiB. */
    @Test
    void rounding() {
        AllocatorSettings four = AllocatorSettings.parse("roundup_power2_divisions:4");
        assertEquals(1280 << 10, four.roundSize(1200 << 10));
        assertEquals(2 * MIB, four.roundSize(2 * MIB));
        assertEquals(2048, four.roundSize(1537), "up to 512 times the divisions, multiples of 512");
        assertEquals(2560, four.roundSize(2049));
        assertEquals(512, AllocatorSettings.defaults().roundSize(1));
        assertEquals(1024, AllocatorSettings.defaults().roundSize(513));
    }

    @Test
    void segmentSizes() {
        AllocatorSettings s = AllocatorSettings.defaults();
        assertEquals(2 * MIB, s.segmentSize(MIB));
        assertEquals(20 * MIB, s.segmentSize(MIB + 512));
        assertEquals(20 * MIB, s.segmentSize(10 * MIB - 512));
        assertEquals(10 * MIB, s.segmentSize(10 * MIB));
        assertEquals(12 * MIB, s.segmentSize(10 * MIB + 512));
    }

    @Test
    void limits() {
        AllocatorSettings s = AllocatorSettings.parse("per_process_memory_fraction:0.25");
        assertEquals(250, s.allowedBytes(1001));
        assertEquals(7, s.withLimitBytes(7).allowedBytes(1001));
        assertEquals(501, s.withLimitBytes(7).withMemoryFraction(0.5).allowedBytes(1001));
        assertEquals(Long.MAX_VALUE, s.withMemoryFraction(1).allowedBytes(1001));
        assertThrows(IllegalArgumentException.class, () -> s.withMemoryFraction(1.1));
        assertThrows(IllegalArgumentException.class, () -> s.withMemoryFraction(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> s.withLimitBytes(-1));
    }

    @Test
    void profiles() {
        assertTrue(AllocatorProfile.of("2.14.1+cu130").olderSegmentFirst());
        assertTrue(AllocatorProfile.of("3.0").olderSegmentFirst());
        assertFalse(AllocatorProfile.of("2.9").olderSegmentFirst());
        for (String wrong : new String[] {"", "2", "x.y", "1.13", "2.0.1"}) {
            assertThrows(IllegalArgumentException.class, () -> AllocatorProfile.of(wrong), wrong);
        }
    }

    @Property
    void anyTextIsReadOrRefused(
            @ForAll @StringLength(max = 30) @CharRange(from = '0', to = '>') @CharRange(from = '[', to = ']')
                    String tail) {
        for (String key :
                new String[] {"roundup_power2_divisions:", "max_split_size_mb", "garbage_collection_threshold:"}) {
            try {
                AllocatorSettings.parse(key + tail);
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage().startsWith("allocator settings"), e.getMessage());
            }
        }
    }
}
