package dev.headroom.allocator;

import static dev.headroom.allocator.Bytes.KIB;
import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;

/** Settings with one thing changed are the same in all else; sizes are rounded as the settings say. */
class SettingsCopyTest {
    private static final long DEVICE = 1 << 30;

    @Provide
    static Arbitrary<String> confs() {
        Arbitrary<String> split = Arbitraries.of("", "max_split_size_mb:64,", "max_split_size_mb:200,");
        Arbitrary<String> roundings = Arbitraries.of("", "roundup_power2_divisions:[256:2,>:8],");
        Arbitrary<String> collections = Arbitraries.of("", "garbage_collection_threshold:0.6,");
        Arbitrary<String> segments = Arbitraries.of("", "large_segment_size_mb:32,", "expandable_segments:True,");
        Arbitrary<String> limits =
                Arbitraries.of("", "per_process_memory_fraction:0.25,", "throw_on_cudamalloc_oom:True,");
        return Combinators.combine(split, roundings, collections, segments, limits)
                .as((a, b, c, d, e) -> a + b + c + d + e);
    }

    @Property(tries = 200)
    void aLimitChangesTheLimitAlone(@ForAll("confs") String conf, @ForAll @LongRange(max = 1L << 40) long bytes) {
        assertEquals(
                Set.of("allowed"), changed(base(conf), s -> s.withLimitBytes(bytes), "allowed"), "and its effect only");
        assertEquals(bytes, base(conf).withLimitBytes(bytes).allowedBytes(DEVICE));
    }

    @Property(tries = 200)
    void aFractionReplacesLimitAndFraction(
            @ForAll("confs") String conf, @ForAll @DoubleRange(max = 0.99) double fraction) {
        AllocatorSettings limited = base(conf).withLimitBytes(77);
        Set<String> both = Set.of("allowed", "fraction");
        assertEquals(both, changed(limited, s -> s.withMemoryFraction(fraction), "allowed", "fraction"));
        assertEquals(
                Math.round(DEVICE * fraction),
                limited.withMemoryFraction(fraction).allowedBytes(DEVICE));
    }

    @Property(tries = 200)
    void aVersionChangesTheVersionAlone(@ForAll("confs") String conf) {
        AllocatorProfile older = AllocatorProfile.of("2.9");
        assertEquals(Set.of("profile"), changed(base(conf), s -> s.withProfile(older), "profile"));
        assertEquals(older, base(conf).withProfile(older).profile());
    }

    @Property(tries = 200)
    void withoutCachingAllElseStays(@ForAll("confs") String conf) {
        assertEquals(Set.of("caching"), changed(base(conf), AllocatorSettings::withoutCaching, "caching"));
    }

    /** Divisions are handed out as a copy: who changes it changes no settings. */
    @Example
    void divisionsCannotBeChangedFromOutside() {
        AllocatorSettings s = AllocatorSettings.parse("roundup_power2_divisions:4");
        s.roundupPower2Divisions()[3] = 0;
        assertEquals(4, s.roundupPower2Divisions()[3]);
    }

    @Example
    void theTextIsWhatWasParsed() {
        assertEquals(
                "max_split_size_mb:64",
                AllocatorSettings.parse("max_split_size_mb:64").text());
        assertEquals(
                "max_split_size_mb:64",
                AllocatorSettings.parse("max_split_size_mb:64").toString());
        assertEquals("default", AllocatorSettings.defaults().toString());
    }

    /** The extremes are allowed: a fraction of nothing, one of all, a limit of nothing. */
    @Example
    void boundsOfLimits() {
        AllocatorSettings s = AllocatorSettings.defaults();
        assertEquals(0, s.withMemoryFraction(0).allowedBytes(DEVICE));
        assertEquals(Long.MAX_VALUE, s.withMemoryFraction(1).allowedBytes(DEVICE));
        assertEquals(0, s.withLimitBytes(0).allowedBytes(DEVICE));
    }

    /** A size is rounded to the next multiple of the step of its interval, and no further. */
    @Property(tries = 200)
    void divisionsSplitEveryIntervalBetweenPowersOfTwo(
            @ForAll @LongRange(min = 1, max = 1L << 38) long bytes, @ForAll("divisions") int divisions) {
        AllocatorSettings s = AllocatorSettings.parse("roundup_power2_divisions:" + divisions);
        long power = Long.highestOneBit(bytes);
        long step = divisions > 1 && bytes > 512L * divisions ? power / divisions : 512;
        long rounded = s.roundSize(bytes);
        assertEquals(0, rounded % step);
        assertTrue(rounded >= bytes && rounded - bytes < Math.max(step, 512), rounded + " for " + bytes);
    }

    @Provide
    static Arbitrary<Integer> divisions() {
        return Arbitraries.of(1, 2, 4, 8, 16);
    }

    /** Intervals begin with [1 MiB, 2 MiB); smaller sizes belong to the first, those beyond 64 GiB to the last. */
    @Example
    void everyIntervalHasDivisionsOfItsOwn() {
        AllocatorSettings s = AllocatorSettings.parse("roundup_power2_divisions:[2:2,4:4,>:8]");
        assertEquals(768 * KIB, s.roundSize(513 * KIB), "the first interval's two steps of 256 KiB");
        assertEquals(3 * MIB, s.roundSize(2 * MIB + 1), "two steps between 2 and 4 MiB");
        assertEquals(5 * MIB, s.roundSize(4 * MIB + 1), "four steps between 4 and 8 MiB");
        assertEquals(9 * MIB, s.roundSize(8 * MIB + 1), "eight steps between 8 and 16 MiB");
        AllocatorSettings some = AllocatorSettings.parse("roundup_power2_divisions:[2:2,4:1,>:8]");
        assertEquals(4 * MIB + 512, some.roundSize(4 * MIB + 1), "one division is none");
        assertEquals((128L << 30) + (16L << 30), s.roundSize((128L << 30) + 1), "eight steps at the far end, too");
    }

    /** Of PyTorch 1.0: from 1 MiB in steps of 128 KiB, and segments as large as their block but 1 MiB at least. */
    @Example
    void firstVersionRoundsLargeBlocks() {
        AllocatorSettings s = AllocatorSettings.defaults().withProfile(AllocatorProfile.of("1.0"));
        assertEquals(MIB - 512, s.roundSize(MIB - 1000));
        assertEquals(MIB, s.roundSize(MIB));
        assertEquals(MIB + 128 * KIB, s.roundSize(MIB + 1));
        assertEquals(MIB, s.segmentSize(512));
        assertEquals(MIB + 128 * KIB, s.segmentSize(MIB + 128 * KIB));
    }

    private static AllocatorSettings base(String conf) {
        return AllocatorSettings.parse(conf);
    }

    /** What differs, without those of the expected that happen to be the same before and after. */
    private static Set<String> changed(
            AllocatorSettings before, UnaryOperator<AllocatorSettings> change, String... expected) {
        Map<String, Object> old = values(before);
        Set<String> names = new TreeSet<>(Set.of(expected));
        values(change.apply(before)).forEach((name, value) -> {
            if (!value.equals(old.get(name))) {
                names.add(name);
            }
        });
        return names;
    }

    private static Map<String, Object> values(AllocatorSettings s) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("text", s.text());
        values.put("profile", s.profile());
        values.put("max split", s.maxSplitSize());
        values.put("non-split rounding", s.maxNonSplitRounding());
        values.put("large segment", s.largeSegmentSize());
        values.put("collection", s.garbageCollectionThreshold());
        values.put("expandable", s.expandableSegments());
        values.put("fraction", s.memoryFraction());
        values.put("rejects", s.rejectsEarly());
        values.put("caching", s.caching());
        values.put("divisions", java.util.Arrays.toString(s.roundupPower2Divisions()));
        values.put("allowed", s.allowedBytes(DEVICE));
        values.put("rounded", s.roundSize(300 * MIB + 1));
        return values;
    }
}
