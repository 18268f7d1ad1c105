package dev.headroom.estimator.timeline;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.BlockState;
import dev.headroom.allocator.CachingAllocator;
import dev.headroom.allocator.DeviceMemory;
import dev.headroom.allocator.OutOfMemoryException;
import dev.headroom.allocator.Segment;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.Attribution;
import dev.headroom.estimator.log.Blocks;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.PhaseHistory;
import dev.headroom.estimator.predict.Simulation;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run event by event. An event is an allocation, a free, or a change of what a storage counts as; "after event e" is
 * the moment between it and the next.
 */
public final class Timeline {
    private static final long PLENTY = 4L << 40;

    private final Simulation run;
    private final EventLog log;
    private final Supplier<DeviceMemory> memory;
    private final long[] allocated;
    private final LiveTensor[] byNumber;
    private final List<LiveTensor> tensors = new ArrayList<>();
    private final List<PhaseSpan> phases = new ArrayList<>();

    /** @param memory fresh device memory as the run had it, to place segments in */
    Timeline(Simulation run, Supplier<DeviceMemory> memory) {
        this.run = run;
        this.log = run.log();
        this.memory = memory;
        // A run that failed is looked at as it was then, not as what it left behind.
        this.allocated = new long[run.events()];
        this.byNumber = new LiveTensor[log.storages()];
        readEvents();
        readPhases();
    }

    private void readEvents() {
        int[] born = new int[log.storages()];
        int[] died = new int[log.storages()];
        Arrays.fill(born, -1);
        Arrays.fill(died, size());
        long now = 0;
        for (int e = 0; e < size(); e++) {
            int s = log.storage(e);
            if (log.isFree(e)) {
                died[s] = e;
                now -= log.rounded(s);
            } else if (born[s] < 0) {
                born[s] = e;
                now += log.rounded(s);
            }
            allocated[e] = now;
        }
        Names names = new Names(run);
        for (int s = 0; s < log.storages(); s++) {
            if (log.requested(s) > 0) {
                Attribution by = run.madeBy(s);
                LiveTensor t = new LiveTensor(
                        s,
                        names.of(s, by),
                        names.owner(s, by),
                        by,
                        log.dtype(s),
                        log.sizes(s),
                        log.requested(s),
                        log.rounded(s),
                        born[s],
                        died[s]);
                byNumber[s] = t;
                tensors.add(t);
            }
        }
    }

    private void readPhases() {
        PhaseHistory history = run.history();
        int ended = history.phases().size();
        for (int i = 0; i < ended; i++) {
            phases.add(new PhaseSpan(history.phases().get(i).moment(), history.start(i), history.end(i)));
        }
        if (run.oom() != null) {
            phases.add(new PhaseSpan(run.oom().moment(), history.start(ended), size()));
        }
    }

    /** Number of events, up to where memory ran out. */
    public int size() {
        return allocated.length;
    }

    /** The phases in order; the last one is cut short where memory ran out. */
    public List<PhaseSpan> phases() {
        return Collections.unmodifiableList(phases);
    }

    /** The phase of an event. */
    public PhaseSpan phase(int event) {
        int low = 0;
        int high = phases.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (event < phases.get(middle).to()) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return phases.get(low);
    }

    /** Bytes in live blocks after an event: {@code memory_allocated}. */
    public long allocated(int event) {
        return allocated[event];
    }

    /** Bytes in segments after an event: {@code memory_reserved}. */
    public long reserved(int event) {
        return log.reserved(event);
    }

    /** What ran when an event happened. */
    public Attribution running(int event) {
        return run.running(event);
    }

    /** What asked for the memory that was not there; {@code null} when the run got through. */
    public @Nullable Attribution failed() {
        return run.failure() == null ? null : run.failure().requester();
    }

    /** The event after which allocated memory is first at its highest; -1 when nothing happened. */
    public int peak() {
        return run.peak().events() - 1;
    }

    /** The same among the events of a phase; -1 when it has none. */
    public int peak(PhaseSpan span) {
        int peak = -1;
        for (int e = span.from(); e < span.to(); e++) {
            peak = peak < 0 || allocated[e] > allocated[peak] ? e : peak;
        }
        return peak;
    }

    /** One more than the largest number of a tensor. */
    public int storages() {
        return byNumber.length;
    }

    /** Everything that ever took memory, in order of birth. */
    public List<LiveTensor> tensors() {
        return Collections.unmodifiableList(tensors);
    }

    /** The tensor that an event is about; {@code null} for one that takes no memory. */
    public LiveTensor tensor(int event) {
        return byNumber[log.storage(event)];
    }

    /** Whether an event ends its tensor. */
    public boolean isFree(int event) {
        return log.isFree(event);
    }

    /** What an event's storage counts as from then on; {@code null} when the event frees it. */
    public @Nullable Category category(int event) {
        return log.category(event);
    }

    /** What is alive after an event, in order of birth, with what it counts as. */
    public Map<LiveTensor, Category> alive(int event) {
        Category[] categories = log.aliveAfter(event + 1);
        Map<LiveTensor, Category> alive = new LinkedHashMap<>();
        for (LiveTensor t : tensors) {
            if (categories[t.number()] != null) {
                alive.put(t, categories[t.number()]);
            }
        }
        return alive;
    }

    /**
     * What first had autograd keep each of the saved activations that are alive after an event.
     *
     * @return by {@link LiveTensor#number}; {@code null} for all others
     */
    public Attribution[] savers(int event) {
        Attribution[] savers = new Attribution[log.storages()];
        for (int e = 0; e <= event; e++) {
            boolean saved = log.category(e) == Category.SAVED_ACTIVATIONS;
            savers[log.storage(e)] = saved ? running(e) : null;
        }
        return savers;
    }

    /** Requested bytes by category after an event, every category named. */
    public Map<Category, Long> categories(int event) {
        Map<Category, Long> bytes = new EnumMap<>(Category.class);
        for (Category c : Category.values()) {
            bytes.put(c, 0L);
        }
        alive(event).forEach((t, c) -> bytes.merge(c, t.requested(), Long::sum));
        return bytes;
    }

    /**
     * The segments after an event, in address order. The requests up to there are played again through a fresh
     * allocator, which answers as the first did; but for memory that waited for work on other streams, which is free at
     * once here.
     */
    public List<PlacedSegment> segments(int event) {
        try {
            return segments(event, run.settings(), memory.get());
        } catch (OutOfMemoryException e) {
            for (LiveTensor t : tensors) {
                if (log.stream(t.number()) != 0) {
                    return segments(event, run.settings().withLimitBytes(PLENTY), new SimulatedDeviceMemory(PLENTY));
                }
            }
            throw new IllegalStateException("a run that got through does not when it is played again", e);
        }
    }

    private List<PlacedSegment> segments(int event, AllocatorSettings settings, DeviceMemory in) {
        CachingAllocator allocator = new CachingAllocator(settings, in);
        Blocks blocks = new Blocks(log, allocator);
        log.replay(event + 1, blocks);
        Int2ObjectOpenHashMap<LiveTensor> byBlock = new Int2ObjectOpenHashMap<>();
        for (LiveTensor t : tensors) {
            if (t.aliveAt(event)) {
                byBlock.put(blocks.of(t.number()), t);
            }
        }
        List<PlacedSegment> placed = new ArrayList<>();
        for (Segment segment : allocator.segments()) {
            List<LiveTensor> inside = new ArrayList<>();
            for (Segment.Block b : segment.blocks()) {
                inside.add(b.state() == BlockState.INACTIVE ? null : byBlock.get(b.handle()));
            }
            placed.add(new PlacedSegment(segment, inside));
        }
        return placed;
    }
}
