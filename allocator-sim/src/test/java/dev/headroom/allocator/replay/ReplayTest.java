package dev.headroom.allocator.replay;

import static dev.headroom.allocator.Bytes.MIB;
import static dev.headroom.allocator.Bytes.TIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.trace.Trace;
import dev.headroom.allocator.trace.TraceSink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a replay makes of single events of a trace. */
class ReplayTest {
    private static ReplayResult play(long total, Consumer<TraceSink> requests) throws IOException {
        return Replay.run(Requests.of(requests), AllocatorSettings.defaults(), total);
    }

    private static List<Long> afterEvents(Consumer<TraceSink> requests, java.util.function.ToLongFunction<Replay> value)
            throws IOException {
        List<Long> seen = new ArrayList<>();
        Replay.run(Requests.of(requests), AllocatorSettings.defaults(), 0, new ReplayObserver() {
            @Override
            public void afterEvent(Replay replay) {
                seen.add(value.applyAsLong(replay));
            }
        });
        return seen;
    }

    @Test
    void theFirstFailureIsKeptWithItsPlace() throws IOException {
        ReplayResult result = play(64 * MIB, sink -> {
            sink.allocate(1, 30 * MIB, 0);
            sink.mark("backward", 2, -1);
            sink.allocate(2, 50 * MIB, 0);
            sink.mark("optimizer", -1, -1);
            sink.allocate(3, 60 * MIB, 0);
            sink.free(2); // was never served here
            sink.free(1);
        });
        assertFalse(result.fits());
        ReplayResult.Failure first = result.firstFailure();
        assertEquals(1, first.event());
        assertEquals("backward of step 2", first.phase());
        assertEquals(50 * MIB, first.requested());
        assertEquals(30 * MIB, first.allocated());
        assertEquals(30 * MIB, first.reserved());
        assertTrue(first.message().startsWith("CUDA out of memory. Tried to allocate 50.00 MiB."), first.message());
        assertEquals(2, result.outOfMemory());
        assertEquals(2, result.retries());
        assertEquals(5, result.events());
        assertEquals(30 * MIB, result.peakAllocated());
    }

    @Test
    void aMarkOutsideOfStepsIsNamedAlone() throws IOException {
        ReplayResult result = play(2 * MIB, sink -> {
            sink.mark("model", -1, -1);
            sink.allocate(1, 50 * MIB, 0);
        });
        assertEquals("model", result.firstFailure().phase());
        ReplayResult inFirstStep = play(2 * MIB, sink -> {
            sink.mark("forward", 0, -1);
            sink.allocate(1, 50 * MIB, 0);
        });
        assertEquals("forward of step 0", inFirstStep.firstFailure().phase());
    }

    /** What is given back while another stream uses it stays active until the first request after that use. */
    @Test
    void awaitedBlocksWaitForTheirStream() throws IOException {
        Consumer<TraceSink> requests = sink -> {
            sink.allocate(1, 30 * MIB, 0);
            sink.freeLater(1);
            sink.allocate(2, 30 * MIB, 0);
            sink.freeCompleted(1);
            sink.allocate(3, 30 * MIB, 0);
        };
        assertEquals(
                List.of(30L, 30L, 60L, 60L, 60L),
                afterEvents(
                        requests,
                        r -> r.allocator().statistics().reservedBytes().current() / MIB));
        assertEquals(
                List.of(30L, 0L, 30L, 30L, 60L),
                afterEvents(
                        requests,
                        r -> r.allocator().statistics().allocatedBytes().current() / MIB));
        assertEquals(
                List.of(30L, 30L, 60L, 60L, 60L),
                afterEvents(
                        requests, r -> r.allocator().statistics().activeBytes().current() / MIB));
    }

    /** Blocks that are awaited at the same time wait each for its own stream. */
    @Test
    void awaitedBlocksWaitOneByOne() throws IOException {
        assertEquals(
                List.of(30L, 60L, 60L, 60L, 60L, 60L, 60L),
                afterEvents(
                        sink -> {
                            sink.allocate(1, 30 * MIB, 0);
                            sink.allocate(2, 30 * MIB, 0);
                            sink.freeLater(1);
                            sink.freeLater(2);
                            sink.freeCompleted(1);
                            sink.allocate(3, 30 * MIB, 0);
                            sink.freeCompleted(2);
                        },
                        r -> r.allocator().statistics().activeBytes().current() / MIB));
    }

    @Test
    void marksAreShownToTheObserver() throws IOException {
        List<String> seen = new ArrayList<>();
        Replay.run(
                Requests.of(sink -> sink.mark("forward", 3, 1)), AllocatorSettings.defaults(), 0, new ReplayObserver() {
                    @Override
                    public void mark(Replay replay, String name, int step, int micro) {
                        seen.add(name + " " + step + " " + micro);
                    }
                });
        assertEquals(List.of("forward 3 1"), seen);
    }

    /** Many more blocks than there are streams may be awaited one after the other. */
    @Test
    void awaitedStreamsAreUsedAgain() throws IOException {
        int blocks = 33_000;
        ReplayResult result = play(0, sink -> {
            for (int id = 0; id < blocks; id++) {
                sink.allocate(id, 30 * MIB, 0);
                sink.freeLater(id);
                sink.freeCompleted(id);
            }
        });
        assertEquals(3L * blocks, result.events());
        assertEquals(30 * MIB, result.peakReserved());
    }

    /** The program went on without it when it was recorded, so that it goes on without it here, too. */
    @Test
    void whatHadFailedIsGivenBackAtOnce() throws IOException {
        ReplayResult larger = play(0, sink -> sink.allocateFailed(50 * MIB, 0));
        assertTrue(larger.fits());
        assertEquals(50 * MIB, larger.peakAllocated());
        assertEquals(0, larger.statistics().get("allocated_bytes.all.current"));
        assertEquals(1, larger.events());
        ReplayResult same = play(20 * MIB, sink -> sink.allocateFailed(50 * MIB, 0));
        assertEquals(1, same.outOfMemory());
    }

    @Test
    void theNewestBlockIsKnownUntilAnythingElseHappens() throws IOException {
        assertEquals(
                List.of(7L, 7L, -1L, 8L, -1L, -1L, 9L, -1L),
                afterEvents(
                        sink -> {
                            sink.allocate(7, 512, 0);
                            sink.emptyCache();
                            sink.allocate(1, 8 * TIB, 0);
                            sink.allocate(8, 512, 0);
                            sink.freeLater(8);
                            sink.free(7);
                            sink.allocate(9, 512, 0);
                            sink.allocateFailed(512, 0);
                        },
                        Replay::lastAllocated));
    }

    @Test
    void countsEventsAndShowsWhatLives() throws IOException {
        Consumer<TraceSink> requests = sink -> {
            sink.allocate(1, 512, 0);
            sink.allocate(2, 512, 0);
            sink.free(1);
            sink.emptyCache();
        };
        assertEquals(List.of(1L, 2L, 3L, 4L), afterEvents(requests, Replay::events));
        assertEquals(
                List.of(1L, 2L, 1L, 1L), afterEvents(requests, r -> r.live().size()));
    }

    @Test
    void emptyCacheReturnsSegments() throws IOException {
        assertEquals(
                List.of(30L, 30L, 0L),
                afterEvents(
                        sink -> {
                            sink.allocate(1, 30 * MIB, 0);
                            sink.free(1);
                            sink.emptyCache();
                        },
                        r -> r.allocator().statistics().reservedBytes().current() / MIB));
    }

    /** Blocks of a private pool come from segments of its own. */
    @Test
    void requestsGoToThePoolOfTheMoment() throws IOException {
        List<Long> reserved = afterEvents(
                sink -> {
                    sink.allocate(1, 3 * MIB, 0);
                    sink.pool(1);
                    sink.allocate(2, 3 * MIB, 0);
                    sink.pool(2);
                    sink.allocate(3, 3 * MIB, 0);
                    sink.pool(0);
                    sink.allocate(4, 3 * MIB, 0);
                },
                r -> r.allocator().statistics().reservedBytes().current() / MIB);
        assertEquals(List.of(20L, 40L, 60L, 60L), reserved);
    }

    @Test
    void damagedTracesAreRefusedWithTheEvent() {
        assertDamaged("event 1 allocates block 5, which is in use", sink -> {
            sink.allocate(5, 512, 0);
            sink.allocate(5, 512, 0);
        });
        assertDamaged("event 2 frees block 5, which is not in use", sink -> {
            sink.allocate(5, 512, 0);
            sink.free(5);
            sink.free(5);
        });
        assertDamaged("event 0 frees block 9, which is not in use", sink -> sink.freeLater(9));
        assertDamaged("event 0: ", sink -> sink.allocate(1, 512, 1 << 20));
        // A request that failed here is given back once.
        assertDamaged("event 2 frees block 5, which is not in use", sink -> {
            sink.allocate(5, 8 * TIB, 0);
            sink.free(5);
            sink.free(5);
        });
    }

    private static void assertDamaged(String message, Consumer<TraceSink> requests) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> play(0, requests));
        assertTrue(e.getMessage().startsWith("requests: " + message), e.getMessage());
    }

    /** Completions of blocks that were given back before the trace began concern nobody. */
    @Test
    void unknownCompletionsAreEvents() throws IOException {
        ReplayResult result = play(0, sink -> sink.freeCompleted(3));
        assertEquals(1, result.events());
        assertNull(result.firstFailure());
    }

    @Test
    void theDeviceIsTheGivenTheRecordedOrUnbounded() {
        Trace recorded = new Requests("", 7 * MIB, sink -> {});
        assertEquals(5 * MIB, Replay.device(recorded, 5 * MIB).total());
        assertEquals(7 * MIB, Replay.device(recorded, 0).total());
        assertEquals(4 * TIB, Replay.device(new Requests("", 0, sink -> {}), 0).total());
        assertEquals(
                4 * TIB, Replay.device(new Requests("", 9 * TIB, sink -> {}), 0).total());
    }
}
