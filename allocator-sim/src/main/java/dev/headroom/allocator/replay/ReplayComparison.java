package dev.headroom.allocator.replay;

import dev.headroom.allocator.AllocatorSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The same trace under several settings.
 *
 * @param results in the order of the settings
 * @param best the result that fits with the least reserved memory, then with the fewest retries, then the earliest; null
 *     when none fits
 */
public record ReplayComparison(List<ReplayResult> results, ReplayResult best) {
    /** Settings that PyTorch's documentation recommends to try against fragmentation, after the defaults. */
    private static final List<String> CANDIDATES = List.of(
            "",
            "expandable_segments:True",
            "max_split_size_mb:64",
            "max_split_size_mb:128",
            "max_split_size_mb:256",
            "max_split_size_mb:512",
            "roundup_power2_divisions:8",
            "expandable_segments:True,roundup_power2_divisions:8",
            "garbage_collection_threshold:0.8");

    /** @param results copied */
    public ReplayComparison {
        results = List.copyOf(results);
    }

    /** Plays a trace once for each of the settings. */
    public static ReplayComparison of(Trace trace, List<AllocatorSettings> settings, long totalBytes)
            throws IOException {
        List<ReplayResult> results = new ArrayList<>();
        for (AllocatorSettings each : settings) {
            results.add(Replay.run(trace, each, totalBytes));
        }
        ReplayResult best = results.stream()
                .filter(ReplayResult::fits)
                .min(Comparator.comparingLong(ReplayResult::peakReserved).thenComparingLong(ReplayResult::retries))
                .orElse(null);
        return new ReplayComparison(results, best);
    }

    /**
     * The defaults and what is commonly tried against fragmentation.
     *
     * @param limitBytes for all of them; negative for none
     */
    public static List<AllocatorSettings> candidates(long limitBytes) {
        List<AllocatorSettings> settings = new ArrayList<>();
        for (String conf : CANDIDATES) {
            AllocatorSettings parsed = AllocatorSettings.parse(conf);
            settings.add(limitBytes < 0 ? parsed : parsed.withLimitBytes(limitBytes));
        }
        return settings;
    }
}
