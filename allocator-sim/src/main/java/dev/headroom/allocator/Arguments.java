package dev.headroom.allocator;

/** Says no to numbers that no caller of the allocator can mean. */
final class Arguments {
    private Arguments() {}

    static void checkStream(int stream) {
        if (stream < 0 || stream >= CachingAllocator.MAX_STREAMS) {
            throw new IllegalArgumentException(
                    "stream " + stream + ": streams are 0 to " + (CachingAllocator.MAX_STREAMS - 1));
        }
    }

    static void checkPool(int pool) {
        if (pool <= CachingAllocator.DEFAULT_POOL) {
            throw new IllegalArgumentException("private pool " + pool + ": ids are greater than 0");
        }
    }

    static IllegalArgumentException rejected(long bytes, int stream) {
        return new IllegalArgumentException("allocation of " + bytes + " bytes on stream " + stream
                + ": sizes are greater than 0, streams 0 to " + (CachingAllocator.MAX_STREAMS - 1));
    }
}
