package dev.headroom.allocator.replay;

import dev.headroom.allocator.AllocatorProfile;
import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The settings that are worth comparing for a trace. */
public final class ReplaySettings {
    private static final long UNLIMITED = Long.MAX_VALUE;

    /** What PyTorch's notes on memory management recommend against fragmentation, after the defaults. */
    private static final List<String> CANDIDATES = List.of(
            "",
            "expandable_segments:True",
            "max_split_size_mb:64",
            "max_split_size_mb:128",
            "max_split_size_mb:256",
            "max_split_size_mb:512",
            "roundup_power2_divisions:8",
            "expandable_segments:True,roundup_power2_divisions:8");

    /** Collects only where the allocator may not take the whole device (DeviceCachingAllocator::malloc). */
    private static final String COLLECTING = "garbage_collection_threshold:0.8";

    private final AllocatorSettings recorded;
    private final AllocatorProfile profile;
    private final long limit;

    /**
     * @param trace whose own settings come first
     * @param version of PyTorch whose allocator plays, or null for the recorded one
     * @param limitBytes that the allocators may reserve; negative for none
     * @param otherDevice whether the device is not the recorded one, so that the recorded limit does not concern it
     * @throws IllegalArgumentException with one line when the version is unknown
     */
    public ReplaySettings(Trace trace, @Nullable String version, long limitBytes, boolean otherDevice) {
        AllocatorSettings own = trace.settings();
        profile = version == null ? own.profile() : AllocatorProfile.of(version);
        limit = limitBytes >= 0
                ? limitBytes
                : otherDevice
                        ? UNLIMITED
                        : own.allowedBytes(Replay.device(trace, 0).total());
        recorded = limitBytes < 0 && !otherDevice ? own.withProfile(profile) : with(own.text());
    }

    /** Those of the recorded run, under the version and the limit. */
    public AllocatorSettings recorded() {
        return recorded;
    }

    /**
     * Settings in PyTorch's syntax under the version and the limit.
     *
     * @throws IllegalArgumentException with one line when PyTorch would reject them
     */
    public AllocatorSettings with(String conf) {
        AllocatorSettings settings = AllocatorSettings.parse(conf).withProfile(profile);
        return limit == UNLIMITED ? settings : settings.withLimitBytes(limit);
    }

    /**
     * The recorded settings, then the defaults, then what is commonly tried, then more; each once.
     *
     * @param more in PyTorch's syntax
     */
    public List<AllocatorSettings> all(List<String> more) {
        List<String> confs = new ArrayList<>(CANDIDATES);
        if (limit != UNLIMITED) {
            confs.add(COLLECTING);
        }
        confs.addAll(more);
        List<AllocatorSettings> all = new ArrayList<>();
        all.add(recorded);
        confs.stream().distinct().filter(conf -> !conf.equals(recorded.text())).forEach(conf -> all.add(with(conf)));
        return all;
    }
}
