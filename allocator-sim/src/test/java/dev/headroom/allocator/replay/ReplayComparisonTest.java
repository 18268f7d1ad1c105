package dev.headroom.allocator.replay;

import static dev.headroom.allocator.Bytes.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.trace.TraceSink;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Several settings at once: each plays as it would alone, and the best is chosen by what matters most first. */
class ReplayComparisonTest {
    private static final long DEVICE = 256 * MIB;

    private static ReplayComparison compare(long device, Consumer<TraceSink> requests, String... confs)
            throws IOException {
        List<AllocatorSettings> settings =
                Arrays.stream(confs).map(AllocatorSettings::parse).toList();
        return ReplayComparison.of(
                Requests.of(requests), settings, () -> new SimulatedDeviceMemory(device), new ReplayObserver() {});
    }

    /** Every kind of event, at random; ids live and die as in a program. */
    private static Consumer<TraceSink> program(long seed) {
        return sink -> {
            Random random = new Random(seed);
            java.util.ArrayDeque<Long> live = new java.util.ArrayDeque<>();
            for (long id = 0; id < 120; id++) {
                switch (random.nextInt(12)) {
                    case 0 -> sink.emptyCache();
                    case 1 -> sink.allocateFailed(MIB + random.nextInt(1 << 26), 0);
                    case 2 -> sink.mark("step", (int) id, -1);
                    case 3 -> sink.pool(random.nextInt(3));
                    case 4, 5, 6 -> {
                        if (!live.isEmpty()) {
                            sink.free(live.poll());
                        }
                    }
                    case 7 -> {
                        if (!live.isEmpty()) {
                            long late = live.poll();
                            sink.freeLater(late);
                            sink.freeCompleted(late);
                        }
                    }
                    default -> {
                        sink.allocate(id, 1 + random.nextInt(1 << 25), random.nextInt(2));
                        live.add(id);
                    }
                }
            }
        };
    }

    @Property(tries = 50)
    void togetherEachPlaysAsAlone(@ForAll long seed) throws IOException {
        String[] confs = {"", "expandable_segments:True", "max_split_size_mb:20"};
        ReplayComparison together = compare(DEVICE, program(seed), confs);
        for (int i = 0; i < confs.length; i++) {
            AllocatorSettings settings = AllocatorSettings.parse(confs[i]);
            ReplayResult alone = Replay.run(Requests.of(program(seed)), settings, DEVICE);
            ReplayResult one = together.results().get(i);
            assertEquals(alone.statistics(), one.statistics(), confs[i]);
            assertEquals(alone.firstFailure(), one.firstFailure(), confs[i]);
            assertEquals(alone.events(), one.events(), confs[i]);
            assertEquals(confs[i], one.settings().text());
        }
    }

    @Example
    void failuresOfTheRecordingAreCountedOnce() throws IOException {
        ReplayComparison comparison = compare(
                DEVICE,
                sink -> {
                    sink.allocateFailed(MIB, 0);
                    sink.allocateFailed(MIB, 0);
                },
                "",
                "expandable_segments:True");
        assertEquals(2, comparison.recordedFailures());
    }

    /** Segments of 30 and 32 MiB, against one that grows in steps of 20 MiB; against one that keeps what it took. */
    @Example
    void theLeastReservedMemoryWins() throws IOException {
        Consumer<TraceSink> growing = sink -> {
            sink.allocate(1, 30 * MIB, 0);
            sink.free(1);
            sink.allocate(2, 31 * MIB, 0);
        };
        ReplayComparison comparison = compare(DEVICE, growing, "", "expandable_segments:True");
        assertEquals("expandable_segments:True", comparison.best().settings().text());
        assertEquals(62 * MIB, comparison.results().get(0).peakReserved());
        assertEquals(40 * MIB, comparison.results().get(1).peakReserved());
        assertEquals(32 * MIB, comparison.results().get(1).idealReserved());
        assertEquals(8 * MIB, comparison.results().get(1).fragmentation());
    }

    @Example
    void ofEqualsTheFewestOptionsWin() throws IOException {
        Consumer<TraceSink> whole = sink -> sink.allocate(1, 40 * MIB, 0);
        ReplayComparison comparison = compare(
                DEVICE,
                whole,
                "max_split_size_mb:64,garbage_collection_threshold:0.8",
                "roundup_power2_divisions:[64:2,128:2,>:1]",
                "");
        assertEquals("", comparison.best().settings().text());
        comparison = compare(
                DEVICE,
                whole,
                "max_split_size_mb:64,garbage_collection_threshold:0.8",
                "roundup_power2_divisions:[16:1,128:1,>:1]",
                "max_split_size_mb:64");
        assertEquals(
                "roundup_power2_divisions:[16:1,128:1,>:1]",
                comparison.best().settings().text(),
                "the earlier");
    }

    @Example
    void whatDoesNotFitIsNeverBest() throws IOException {
        Consumer<TraceSink> requests = sink -> {
            sink.allocate(1, 9 * MIB, 0);
            sink.allocate(2, 9 * MIB, 0);
            sink.allocate(3, 41 * MIB, 0);
        };
        ReplayComparison one = compare(60 * MIB, requests, "", "expandable_segments:True");
        assertEquals("expandable_segments:True", one.best().settings().text());
        assertNull(compare(10 * MIB, requests, "", "expandable_segments:True").best());
    }

    /** The observer sees the first settings alone. */
    @Example
    void theObserverLooksAtTheFirst() throws IOException {
        java.util.Set<String> seen = new java.util.TreeSet<>();
        ReplayComparison.of(
                Requests.of(sink -> sink.allocate(1, MIB, 0)),
                List.of(
                        AllocatorSettings.parse("max_split_size_mb:64"),
                        AllocatorSettings.parse("max_split_size_mb:32")),
                () -> new SimulatedDeviceMemory(DEVICE),
                new ReplayObserver() {
                    @Override
                    public void afterEvent(Replay replay) {
                        seen.add(replay.allocator().settings().text());
                    }
                });
        assertEquals(java.util.Set.of("max_split_size_mb:64"), seen);
    }

    @Example
    void settingsToCompareComeOnceEach() {
        Requests limited = new Requests("per_process_memory_fraction:0.5,max_split_size_mb:64", 64 * MIB, sink -> {});
        ReplaySettings of = new ReplaySettings(limited, null, -1, false);
        List<AllocatorSettings> all = of.all(List.of("max_split_size_mb:32", "max_split_size_mb:32"));
        List<String> texts = all.stream().map(AllocatorSettings::text).toList();
        assertEquals(limited.conf(), texts.get(0));
        assertEquals("", texts.get(1));
        assertEquals("max_split_size_mb:32", texts.get(texts.size() - 1));
        assertEquals(texts.stream().distinct().toList(), texts);
        assertEquals(
                1,
                texts.stream()
                        .filter("garbage_collection_threshold:0.8"::equals)
                        .count());
        all.forEach(s -> assertEquals(32 * MIB, s.allowedBytes(64 * MIB), s.text()));
    }

    @Example
    void otherDevicesAndLimitsReplaceTheRecordedLimit() {
        Requests limited = new Requests("per_process_memory_fraction:0.5", 64 * MIB, sink -> {});
        assertEquals(
                7 * MIB,
                new ReplaySettings(limited, null, 7 * MIB, false).recorded().allowedBytes(64 * MIB));
        assertEquals(0, new ReplaySettings(limited, null, 0, true).recorded().allowedBytes(64 * MIB));
        assertEquals(0, new ReplaySettings(limited, null, 0, false).recorded().allowedBytes(64 * MIB));
        Requests common = new Requests("expandable_segments:True", 64 * MIB, sink -> {});
        assertEquals(
                1,
                new ReplaySettings(common, null, -1, false)
                        .all(List.of()).stream()
                                .filter(AllocatorSettings::expandableSegments)
                                .filter(s -> s.text().equals(common.conf()))
                                .count());
        ReplaySettings elsewhere = new ReplaySettings(limited, "2.9", -1, true);
        assertEquals(Long.MAX_VALUE, elsewhere.with("").allowedBytes(64 * MIB));
        assertEquals("2.1", elsewhere.with("").profile().name());
        assertEquals("2.1", elsewhere.recorded().profile().name());
        Requests free = new Requests("", 64 * MIB, sink -> {});
        List<String> texts = new ReplaySettings(free, null, -1, false)
                .all(List.of()).stream().map(AllocatorSettings::text).toList();
        assertEquals(-1, texts.indexOf("garbage_collection_threshold:0.8"), "nothing to collect for");
    }
}
