package dev.headroom.executor.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.kernel.NoKernels;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.runtime.Settings;
import dev.headroom.model.device.GpuCatalogue;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class MemoryLogTest {
    /**
     * The accounts at the peak, which are kept by taking back later changes, are what a replay of all changes gives.
     */
    @Property(tries = 200)
    void sharesAtThePeakAreThoseOfReplay(@ForAll long seed) {
        Random random = new Random(seed);
        try (Backend none = NoKernels.over(1L << 40)) {
            Eager eager = new Eager(
                    new CachingAllocator(AllocatorSettings.defaults(), none.memory()),
                    none,
                    new Settings(GpuCatalogue.find("h200").orElseThrow(), Scenario.Attention.AUTO, 1));
            eager.log().keepChanges();
            List<Tensor> held = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                change(eager, held, random);
            }
            MemoryLog log = eager.log();
            assertEquals(replayed(log.changes(), false), byOwner(log.now()));
            assertEquals(replayed(log.changes(), true), byOwner(log.atPeak()));
            assertEquals(held.size(), log.alive());
            assertEquals(
                    eager.allocator().statistics().allocatedBytes().peak(),
                    log.atPeak().stream().mapToLong(MemoryLog.Share::rounded).sum());
            Map<String, Long> most = log.workspaces().stream()
                    .collect(Collectors.toMap(MemoryLog.Workspace::name, MemoryLog.Workspace::most));
            assertEquals(mostOfWorkspaces(log.changes()), most);
        }
    }

    private static void change(Eager eager, List<Tensor> held, Random random) {
        if (!held.isEmpty() && random.nextInt(5) < 2) {
            eager.release(held.remove(random.nextInt(held.size())));
            return;
        }
        eager.own(new Owner("m" + random.nextInt(3), "op" + random.nextInt(2)));
        try (Scope s = eager.open()) {
            long bytes = 1 + random.nextInt(5_000);
            boolean workspace = random.nextInt(4) == 0;
            held.add(eager.hold(workspace ? eager.workspace(bytes) : eager.empty(DType.UINT8, bytes)));
        }
    }

    private static Map<Owner, Long> byOwner(List<MemoryLog.Share> shares) {
        return shares.stream().collect(Collectors.toMap(MemoryLog.Share::owner, MemoryLog.Share::rounded));
    }

    private static Map<Owner, Long> replayed(List<MemoryLog.Change> changes, boolean toPeak) {
        Map<Owner, Long> now = new HashMap<>();
        Map<Owner, Long> best = Map.of();
        long sum = 0;
        long highest = 0;
        for (MemoryLog.Change c : changes) {
            now.merge(c.owner(), c.bytes(), Long::sum);
            now.remove(c.owner(), 0L);
            sum += c.bytes();
            if (sum > highest) {
                highest = sum;
                best = new HashMap<>(now);
            }
        }
        return toPeak ? best : now;
    }

    private static Map<String, Long> mostOfWorkspaces(List<MemoryLog.Change> changes) {
        Map<String, Long> now = new HashMap<>();
        Map<String, Long> most = new HashMap<>();
        for (MemoryLog.Change c : changes) {
            if (c.owner().isWorkspace()) {
                long held = now.merge(c.owner().operator(), c.bytes(), Long::sum);
                most.merge(c.owner().operator(), held, Math::max);
            }
        }
        return most;
    }
}
