package dev.headroom.allocator.replay;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.DeviceMemory;
import dev.headroom.allocator.trace.Trace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The same trace under several settings.
 *
 * @param results in the order of the settings
 * @param best the result that fits with the least reserved memory, then with the fewest options, then with the fewest
 *     retries, then the earliest; null when none fits
 * @param recordedFailures requests that had failed when the trace was recorded: what the program would have asked for
 *     otherwise is not known
 */
public record ReplayComparison(
        List<ReplayResult> results, @Nullable ReplayResult best, long recordedFailures) {
    /** @param results copied */
    public ReplayComparison {
        results = List.copyOf(results);
    }

    /**
     * Reads a trace once and plays it through an allocator for each of the settings.
     *
     * @param memory makes the device memory of each
     * @param observer looks at the first of them
     * @throws IOException when the trace cannot be read
     * @throws IllegalArgumentException with one line when the trace is damaged
     */
    public static ReplayComparison of(
            Trace trace, List<AllocatorSettings> settings, Supplier<DeviceMemory> memory, ReplayObserver observer)
            throws IOException {
        List<Replay> replays = new ArrayList<>();
        for (AllocatorSettings each : settings) {
            ReplayObserver looking = replays.isEmpty() ? observer : new ReplayObserver() {};
            replays.add(new Replay(new CachingAllocator(each, memory.get()), looking));
        }
        ReplayEnsemble ensemble = new ReplayEnsemble(replays);
        Replay.play(trace, ensemble);
        List<ReplayResult> results = replays.stream().map(Replay::result).toList();
        ReplayResult best = results.stream()
                .filter(ReplayResult::fits)
                .min(Comparator.comparingLong(ReplayResult::peakReserved)
                        .thenComparingInt(r -> options(r.settings().text()))
                        .thenComparingLong(ReplayResult::retries))
                .orElse(null);
        return new ReplayComparison(results, best, ensemble.recordedFailures());
    }

    /** How many options a configuration sets; a bracketed list is one. */
    private static int options(String conf) {
        return conf.isBlank() ? 0 : conf.replaceAll("\\[[^\\]]*\\]", "").split(",").length;
    }
}
