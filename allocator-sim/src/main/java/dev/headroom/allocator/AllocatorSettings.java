package dev.headroom.allocator;

import java.util.Arrays;
import java.util.Objects;

/**
 * What can be set about the caching allocator: the keys of {@code PYTORCH_CUDA_ALLOC_CONF} that concern device memory
 * (c10 AllocatorConfig and CUDAAllocatorConfig), the limit of the process, and the version of PyTorch. Immutable; sizes
 * are bytes.
 */
public final class AllocatorSettings {
    /** Largest request that the small pool serves. */
    static final long SMALL_REQUEST = Bytes.MIB;
    /** Segments of the small pool. */
    static final long SMALL_SEGMENT = 2 * Bytes.MIB;
    /** Requests below this share segments of {@link #largeSegmentSize}. */
    static final long OWN_SEGMENT = 10 * Bytes.MIB;
    /** Larger segments are multiples of this. */
    static final long SEGMENT_ROUNDING = 2 * Bytes.MIB;
    /** Blocks are multiples of so many bytes (kMinBlockSize of c10/cuda/CUDACachingAllocator.cpp). */
    public static final long BLOCK = 512;
    /** Large blocks are multiples of this before 1.1. */
    private static final long EXACT_SEGMENT_ROUNDING = 128 * Bytes.KIB;

    private static final long UNLIMITED = Long.MAX_VALUE;
    private static final AllocatorSettings DEFAULTS = new Builder().build();

    private final String text;
    private final AllocatorProfile profile;
    private final long maxSplitSize;
    private final long maxNonSplitRounding;
    private final long largeSegmentSize;
    private final int[] divisions;
    private final double garbageCollectionThreshold;
    private final boolean expandableSegments;
    private final double memoryFraction;
    private final long limitBytes;
    private final boolean rejectsEarly;
    private final boolean caching;
    private final boolean rounds;

    private AllocatorSettings(Builder from) {
        text = from.text;
        profile = from.profile;
        maxSplitSize = from.maxSplitSize;
        maxNonSplitRounding = from.maxNonSplitRounding;
        largeSegmentSize = from.largeSegmentSize;
        divisions = from.divisions.clone();
        garbageCollectionThreshold = from.garbageCollectionThreshold;
        expandableSegments = from.expandableSegments;
        memoryFraction = from.memoryFraction;
        limitBytes = from.limitBytes;
        rejectsEarly = from.rejectsEarly;
        caching = from.caching;
        rounds = Arrays.stream(divisions).anyMatch(d -> d > 1);
    }

    /** PyTorch's defaults: no options, no limit, the newest version. */
    public static AllocatorSettings defaults() {
        return DEFAULTS;
    }

    /**
     * Reads a string in the syntax of {@code PYTORCH_CUDA_ALLOC_CONF}.
     *
     * @param conf may be empty
     * @throws IllegalArgumentException with one line when PyTorch would reject it, or when it asks for the
     *     cudaMallocAsync backend, which is not modelled
     */
    public static AllocatorSettings parse(String conf) {
        return new AllocatorSettingsParser(conf).parse().build();
    }

    /** The same with a limit on reserved bytes, in place of any memory fraction. */
    public AllocatorSettings withLimitBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("limit of " + bytes + " bytes: give zero or more");
        }
        Builder builder = copy();
        builder.limitBytes = bytes;
        return builder.build();
    }

    /**
     * The same with {@code torch.cuda.set_per_process_memory_fraction}, in place of any limit.
     *
     * @param fraction of the device's memory, 0 to 1; 1 is no limit
     */
    public AllocatorSettings withMemoryFraction(double fraction) {
        if (!(fraction >= 0 && fraction <= 1)) {
            throw new IllegalArgumentException("invalid fraction:" + fraction + ". Please set within [0, 1].");
        }
        Builder builder = copy();
        builder.memoryFraction = fraction;
        builder.limitBytes = UNLIMITED;
        return builder.build();
    }

    /** The same for a version of PyTorch. */
    public AllocatorSettings withProfile(AllocatorProfile newProfile) {
        Builder builder = copy();
        builder.profile = Objects.requireNonNull(newProfile);
        return builder.build();
    }

    /** The same without caching, as with {@code PYTORCH_NO_CUDA_MEMORY_CACHING=1}: every request is a cudaMalloc. */
    public AllocatorSettings withoutCaching() {
        Builder builder = copy();
        builder.caching = false;
        return builder.build();
    }

    /** The string that was parsed; empty for the defaults. */
    public String text() {
        return text;
    }

    /** The version's behaviour. */
    public AllocatorProfile profile() {
        return profile;
    }

    /** Blocks of at least this many bytes are never split; {@link Long#MAX_VALUE} when unset. */
    public long maxSplitSize() {
        return maxSplitSize;
    }

    /** How much larger than the request an unsplittable block may be. */
    public long maxNonSplitRounding() {
        return maxNonSplitRounding;
    }

    /** Size of the segments that serve requests between 1 and 10 MiB. */
    public long largeSegmentSize() {
        return largeSegmentSize;
    }

    /** Fraction of the limit above which unused cached blocks are returned; 0 when off. */
    public double garbageCollectionThreshold() {
        return garbageCollectionThreshold;
    }

    /** Whether segments grow by mapping. */
    public boolean expandableSegments() {
        return expandableSegments;
    }

    /** The configured fraction of the device's memory. */
    public double memoryFraction() {
        return memoryFraction;
    }

    /** Whether throw_on_cudamalloc_oom is set. */
    public boolean rejectsEarly() {
        return rejectsEarly;
    }

    /** False when every request is a cudaMalloc. */
    public boolean caching() {
        return caching;
    }

    /** Divisions between powers of two by which sizes are rounded, for the 16 intervals from 1 MiB to 64 GiB. */
    public int[] roundupPower2Divisions() {
        return divisions.clone();
    }

    /**
     * Bytes that the allocator may reserve, or {@link Long#MAX_VALUE} (DeviceCachingAllocator::setMemoryFraction).
     *
     * @param total bytes of the device
     */
    public long allowedBytes(long total) {
        if (limitBytes != UNLIMITED) {
            return limitBytes;
        }
        return memoryFraction < 1 ? Math.round(memoryFraction * total) : UNLIMITED;
    }

    /** The block size for a request (DeviceCachingAllocator::round_size). */
    long roundSize(long bytes) {
        if (bytes < BLOCK) {
            return BLOCK;
        }
        if (rounds) {
            int log = 63 - Long.numberOfLeadingZeros(bytes);
            long d = divisions[Math.min(Math.max(log - 20, 0), divisions.length - 1)];
            if (d > 1 && bytes > BLOCK * d) {
                long step = (1L << log) / d;
                return Bytes.roundUp(bytes, step);
            }
        }
        if (profile.exactSegments() && bytes >= SMALL_REQUEST) {
            return Bytes.roundUp(bytes, EXACT_SEGMENT_ROUNDING);
        }
        return Bytes.roundUp(bytes, BLOCK);
    }

    /** The segment size for a block (DeviceCachingAllocator::get_allocation_size). */
    long segmentSize(long rounded) {
        if (profile.exactSegments()) {
            return Math.max(rounded, SMALL_REQUEST);
        }
        if (rounded <= SMALL_REQUEST) {
            return SMALL_SEGMENT;
        }
        if (rounded < OWN_SEGMENT) {
            return largeSegmentSize;
        }
        return Bytes.roundUp(rounded, SEGMENT_ROUNDING);
    }

    @Override
    public String toString() {
        return text.isEmpty() ? "default" : text;
    }

    private Builder copy() {
        Builder builder = new Builder();
        builder.text = text;
        builder.profile = profile;
        builder.maxSplitSize = maxSplitSize;
        builder.maxNonSplitRounding = maxNonSplitRounding;
        builder.largeSegmentSize = largeSegmentSize;
        builder.divisions = divisions.clone();
        builder.garbageCollectionThreshold = garbageCollectionThreshold;
        builder.expandableSegments = expandableSegments;
        builder.memoryFraction = memoryFraction;
        builder.limitBytes = limitBytes;
        builder.rejectsEarly = rejectsEarly;
        builder.caching = caching;
        return builder;
    }

    /** Values under construction. */
    static final class Builder {
        String text = "";
        AllocatorProfile profile = AllocatorProfile.newest();
        long maxSplitSize = UNLIMITED;
        long maxNonSplitRounding = 20 * Bytes.MIB;
        long largeSegmentSize = 20 * Bytes.MIB;
        int[] divisions = new int[16];
        double garbageCollectionThreshold;
        boolean expandableSegments;
        double memoryFraction = 1;
        long limitBytes = UNLIMITED;
        boolean rejectsEarly;
        boolean caching = true;

        AllocatorSettings build() {
            return new AllocatorSettings(this);
        }
    }
}
