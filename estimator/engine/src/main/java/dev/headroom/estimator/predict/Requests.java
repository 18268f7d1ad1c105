package dev.headroom.estimator.predict;

import dev.headroom.allocator.AllocatorSettings;
import dev.headroom.allocator.Bytes;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.log.EventLog;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.LongFunction;

/** What a run asked of the allocator, in order, to be asked again. */
public final class Requests {
    /** More than any device has. */
    private static final long MOST = 1L << 45;

    /** Bytes of every storage. */
    private final long[] bytes;
    /** The stream that it is asked for on. */
    private final int[] streams;
    /** A storage for its allocation, its complement for its end. */
    private final int[] events;
    /** Storages that a library can do without: it takes another way where one is refused. */
    private final BitSet scratch;
    /** Whether workspaces of cuDNN are among them. */
    private final boolean cudnn;

    /**
     * What becomes of requests on some device.
     *
     * @param granted whether all are granted, but such as can be done without
     * @param sure whether a run that asks them comes to the same: after a refusal that it can do without it asks others
     */
    public record Answer(boolean granted, boolean sure) {}

    private Requests(long[] bytes, int[] streams, int[] events, BitSet scratch, boolean cudnn) {
        this.bytes = bytes;
        this.streams = streams;
        this.events = events;
        this.scratch = scratch;
        this.cudnn = cudnn;
    }

    static Requests of(EventLog log) {
        return of(log, storage -> true);
    }

    /** Those of the same run without cuDNN's workspaces. */
    static Requests withoutCudnn(EventLog log) {
        return of(log, storage -> !log.isSpared(storage));
    }

    private static Requests of(EventLog log, IntPredicate asked) {
        long[] bytes = new long[log.storages()];
        int[] streams = new int[log.storages()];
        BitSet scratch = new BitSet();
        IntArrayList events = new IntArrayList(log.size());
        boolean cudnn = false;
        int born = 0;
        for (int i = 0; i < log.size(); i++) {
            int storage = log.storage(i);
            if (storage == born) {
                born++;
                bytes[storage] = asked.test(storage) ? log.requested(storage) : 0;
                streams[storage] = log.stream(storage);
                scratch.set(storage, log.category(i) == Category.WORKSPACES);
                if (bytes[storage] > 0) {
                    cudnn |= log.isSpared(storage);
                    events.add(storage);
                }
            } else if (log.isFree(i) && bytes[storage] > 0) {
                events.add(~storage);
            }
        }
        return new Requests(bytes, streams, events.toIntArray(), scratch, cudnn);
    }

    /** Those of a run that does without all that it can do without. */
    public Requests withoutScratch() {
        return new Requests(bytes, streams, plain(), scratch, false);
    }

    /**
     * Whether workspaces of cuDNN are among them, which it chooses anew for other sizes: {@link #line} has them as they
     * are here.
     */
    public boolean hasCudnn() {
        return cudnn;
    }

    /** What becomes of them in memory of which nothing was asked yet. */
    Answer of(AllocatorSettings settings, SimulatedDeviceMemory memory) {
        RequestPlay play = new RequestPlay(this, settings, memory);
        boolean sure = true;
        while (!play.finish()) {
            if (!play.skips()) {
                return new Answer(false, sure);
            }
            sure = false;
        }
        return new Answer(true, sure);
    }

    /** The most that is asked for at once, in whole units of the allocator. */
    public long peak() {
        long now = 0;
        long most = 0;
        for (int event : events) {
            now += event >= 0 ? rounded(event) : -rounded(~event);
            most = Math.max(most, now);
        }
        return most;
    }

    private long rounded(int storage) {
        return Bytes.roundUp(bytes[storage], AllocatorSettings.BLOCK);
    }

    /**
     * What runs of other sizes are likely to ask, from two that ask alike: every storage is taken to grow as a line,
     * what a library can do without to stay as it is here.
     *
     * @param size of this run
     * @return by size; empty when the two do not ask alike
     */
    public Optional<LongFunction<Requests>> line(long size, Requests other, long otherSize) {
        int[] mine = plain();
        int[] its = other.plain();
        if (size == otherSize || mine.length != its.length) {
            return Optional.empty();
        }
        double[] slopes = new double[bytes.length];
        int[] twins = new int[bytes.length];
        for (int i = 0; i < mine.length; i++) {
            int storage = mine[i];
            if (storage >= 0 && its[i] >= 0 && streams[storage] == other.streams[its[i]]) {
                twins[storage] = its[i];
                slopes[storage] = (other.bytes[its[i]] - bytes[storage]) / (double) (otherSize - size);
            } else if (storage >= 0 || its[i] >= 0 || twins[~storage] != ~its[i]) {
                return Optional.empty();
            }
        }
        return Optional.of(wanted -> grown(slopes, wanted - size));
    }

    /** Whether others come and go in the same order, whatever their sizes. */
    public boolean isLike(Requests other) {
        return Arrays.equals(events, other.events) && Arrays.equals(streams, other.streams);
    }

    private Requests grown(double[] slopes, long by) {
        long[] grown = new long[bytes.length];
        for (int i = 0; i < grown.length; i++) {
            double line = Math.rint(bytes[i] + slopes[i] * by);
            grown[i] = bytes[i] == 0 ? 0 : (long) Math.max(1, Math.min(line, MOST));
        }
        return new Requests(grown, streams, events, scratch, cudnn);
    }

    /** The events but those of storages that can be done without. */
    private int[] plain() {
        return Arrays.stream(events)
                .filter(event -> !scratch.get(event >= 0 ? event : ~event))
                .toArray();
    }

    int storages() {
        return bytes.length;
    }

    int size() {
        return events.length;
    }

    boolean isAllocation(int event) {
        return events[event] >= 0;
    }

    /** The storage that an event allocates or frees. */
    int storage(int event) {
        return events[event] >= 0 ? events[event] : ~events[event];
    }

    long bytes(int storage) {
        return bytes[storage];
    }

    int stream(int storage) {
        return streams[storage];
    }

    /** Whether a run goes on without a storage when it is refused. */
    boolean isScratch(int storage) {
        return scratch.get(storage);
    }
}
