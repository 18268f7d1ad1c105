package dev.headroom.executor.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.executor.host.HostBackend;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.executor.train.Training;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.run.Phase;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Memory runs out at every place where it can. */
class OutOfMemoryTest {
    private static final long LARGE = 1L << 30;

    static Stream<FaultScenario> scenarios() {
        return FaultScenario.all();
    }

    /** Without a cache every tensor is a request to the device. */
    @ParameterizedTest
    @MethodSource("scenarios")
    void everyRefusedTensorLeavesNothingBehind(FaultScenario s) {
        Set<Phase> phases = new HashSet<>();
        AllocatorSettings uncached = AllocatorSettings.defaults().withoutCaching();
        long k = 1;
        while (failsAt(s, uncached, k, k, phases)) {
            k++;
        }
        assertTrue(k > 10, s + " made " + (k - 1) + " requests");
        Set<Phase> expected = s.run().loop().inference()
                ? Set.of(Phase.MODEL, Phase.INPUTS, Phase.FORWARD)
                : Set.of(Phase.MODEL, Phase.INPUTS, Phase.FORWARD, Phase.LOSS, Phase.BACKWARD);
        assertTrue(phases.containsAll(expected), () -> s + " failed only in " + phases);
    }

    /** With the cache, a request for a segment that is refused for good. */
    @ParameterizedTest
    @MethodSource("scenarios")
    void everyRefusedSegmentLeavesNothingBehind(FaultScenario s) {
        long k = 1;
        while (failsAt(s, AllocatorSettings.defaults(), k, Long.MAX_VALUE, new HashSet<>())) {
            k++;
        }
        assertTrue(k > 1);
    }

    /** The allocator gives its cache back and asks again. */
    @ParameterizedTest
    @MethodSource("scenarios")
    void segmentRefusedOnceIsGivenAtTheSecondAttempt(FaultScenario s) {
        assertFalse(failsAt(s, AllocatorSettings.defaults(), 1, 1, new HashSet<>()));
    }

    private static boolean failsAt(
            FaultScenario s, AllocatorSettings settings, long first, long last, Set<Phase> phases) {
        try (HostBackend host = new HostBackend(LARGE)) {
            RefusingMemory memory = new RefusingMemory(host.memory(), first, last);
            Eager eager = new Eager(
                    new CachingAllocator(settings, memory),
                    host,
                    new Settings(
                            GpuCatalogue.find("h200").orElseThrow(),
                            s.run().kernels().attention(),
                            1));
            boolean failed = runs(s, eager, phases);
            String where = s + ", request " + first;
            if (failed) {
                // What failed once must be able to run now: no mode, hook or place in the graph is left as it was.
                if (last == first) {
                    assertFalse(runs(s, eager, phases), where);
                }
                assertTrue(memory.refused(), where);
            }
            eager.close();
            assertEquals(0, eager.log().alive(), where);
            assertEquals(0, eager.allocator().statistics().allocatedBytes().current(), where);
            assertEquals(0, eager.allocator().statistics().reservedBytes().current(), where);
            assertEquals(0, memory.outstanding(), where);
            assertEquals(0, host.segments(), where);
            return failed;
        }
    }

    private static boolean runs(FaultScenario s, Eager eager, Set<Phase> phases) {
        boolean failed = false;
        try (Training training = new Training(eager, Preparation.of(s.graph(), s.run()), p -> {})) {
            try {
                training.prepare((name, t) -> eager.backend().random().uniform(t, 0, 1, name.hashCode()));
                training.run();
            } catch (OutOfMemoryException e) {
                failed = true;
                phases.add(training.moment().phase());
                assertTrue(e.requested() > 0);
                assertFalse(
                        eager.requester().operator().isEmpty(),
                        () -> "nobody asked in " + training.moment().words());
                assertNull(
                        training.moment().phase() == Phase.MODEL
                                ? training.moment().step()
                                : null);
            }
        }
        // Only what the runtime keeps for itself is left: a workspace for each thread.
        assertTrue(
                eager.log().now().stream().allMatch(share -> share.owner().isWorkspace()),
                () -> s + " keeps " + eager.log().now());
        assertTrue(eager.tape().isEnabled());
        assertFalse(eager.tape().inBackwardThread());
        assertEquals(0, eager.tape().unfinished());
        return failed;
    }
}
