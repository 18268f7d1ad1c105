package dev.headroom.allocator;

/**
 * How the allocator of a range of PyTorch versions behaves where the versions differ.
 *
 * @param name the first version of the range, such as "2.13"
 * @param olderSegmentFirst true when the older segment wins between free blocks of equal size (pytorch#183591), false
 *     when the lower address does
 * @param exactSegments true when a large request without a cached block gets a segment of its own size, in steps of 128
 *     KiB, and small ones share segments of 1 MiB (THCCachingAllocator, before pytorch#17120 of February 2019)
 */
public record AllocatorProfile(String name, boolean olderSegmentFirst, boolean exactSegments) {
    private static final AllocatorProfile SEGMENT_AGE = new AllocatorProfile("2.13", true, false);
    private static final AllocatorProfile ADDRESS = new AllocatorProfile("2.1", false, false);
    private static final AllocatorProfile EXACT = new AllocatorProfile("1.0", false, true);

    /** The profile of the newest version that is modelled. */
    public static AllocatorProfile newest() {
        return SEGMENT_AGE;
    }

    /**
     * The profile of a version of PyTorch.
     *
     * @param version such as "2.14.1" or "2.9.0+cu128"
     * @throws IllegalArgumentException when it is not a version number, or older than 2.1 and not 1.0
     */
    public static AllocatorProfile of(String version) {
        String[] parts = version.strip().split("[.+]", 3);
        int major = parts.length < 2 ? -1 : number(parts[0]);
        int minor = parts.length < 2 ? -1 : number(parts[1]);
        if (major < 0 || minor < 0) {
            throw new IllegalArgumentException("PyTorch version '" + version + "': write it as 2.14 or 2.14.1");
        }
        if (major == 1 && minor == 0) {
            return EXACT;
        }
        if (major < 2 || major == 2 && minor < 1) {
            throw new IllegalArgumentException("PyTorch version '" + version + "': 2.1 is the oldest that is modelled");
        }
        return major == 2 && minor < 13 ? ADDRESS : SEGMENT_AGE;
    }

    private static int number(String text) {
        return text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : -1;
    }
}
