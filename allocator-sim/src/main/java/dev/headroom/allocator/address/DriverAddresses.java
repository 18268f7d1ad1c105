package dev.headroom.allocator.address;

import java.util.Arrays;

/**
 * Addresses as NVIDIA's driver for Linux hands them out. It reserves address space in chunks of whole 32 MiB, each as
 * high as it can, which is mostly below those that it has; a request goes to the newest chunk that has room for it,
 * from below, before another one is reserved. A chunk that is empty is given up.
 *
 * <p>This was read off the addresses of segments in recordings on an H100 (driver 580). With it nearly all transformers
 * there are predicted in every phase, where it had been half of them; and of 2,971 perceptrons that others measured on
 * an A100, 99.8 % come within 4 MiB instead of 97.2 %. What the context and libraries take of the first chunks, and
 * where the host's own mappings lie between chunks, is not known and left out.
 */
final class DriverAddresses implements Addresses {
    private static final long CHUNK = 32L << 20;

    // All is mirrored at 0, so that the highest addresses, which are taken first, come first. What comes later lies at
    // the end of the arrays, where little moves when it comes and goes.
    private final Gaps unreserved;
    private final Gaps gaps;
    /** By the end of the mirrored range, which is the address. */
    private final Ranges taken;
    // Chunks, oldest first; what is free of each in an array of its own, as a request looks at that of all.
    private long[] from;
    private long[] to;
    private long[] free;
    private int chunks;

    private final long first;
    private final long last;

    DriverAddresses(long from, long to) {
        this.first = -to;
        this.last = -from;
        this.unreserved = new Gaps();
        this.unreserved.open(first, last);
        this.gaps = new Gaps();
        this.taken = new Ranges();
        this.from = new long[16];
        this.to = new long[16];
        this.free = new long[16];
    }

    private DriverAddresses(DriverAddresses other) {
        first = other.first;
        last = other.last;
        unreserved = new Gaps(other.unreserved);
        gaps = new Gaps(other.gaps);
        taken = new Ranges(other.taken);
        from = other.from.clone();
        to = other.to.clone();
        free = other.free.clone();
        chunks = other.chunks;
    }

    @Override
    public Addresses copy() {
        return new DriverAddresses(this);
    }

    @Override
    public long take(long bytes) {
        for (int i = chunks - 1; i >= 0; i--) {
            if (free[i] >= bytes) {
                long address = take(i, bytes);
                if (address != Gaps.NOTHING) {
                    return address;
                }
            }
        }
        return reserve(bytes) ? take(chunks - 1, bytes) : NONE;
    }

    private long take(int chunk, long bytes) {
        long mirrored = gaps.takeHighest(from[chunk], to[chunk], bytes);
        if (mirrored == Gaps.NOTHING) {
            return mirrored;
        }
        free[chunk] -= bytes;
        taken.add(mirrored + bytes, bytes);
        return -(mirrored + bytes);
    }

    /** Reserves another chunk; false when there are no addresses left. */
    private boolean reserve(long bytes) {
        long size = (bytes + CHUNK - 1) / CHUNK * CHUNK;
        long base = unreserved.takeLowest(size);
        if (base == Gaps.NOTHING) {
            return false;
        }
        if (chunks == free.length) {
            from = Arrays.copyOf(from, 2 * chunks);
            to = Arrays.copyOf(to, 2 * chunks);
            free = Arrays.copyOf(free, 2 * chunks);
        }
        from[chunks] = base;
        to[chunks] = base + size;
        free[chunks] = size;
        chunks++;
        gaps.open(base, base + size);
        return true;
    }

    @Override
    public long drop(long address) {
        int at = taken.of(-address);
        if (at < 0) {
            return NONE;
        }
        long bytes = taken.size(at);
        taken.remove(at);
        long mirrored = -address - bytes;
        int chunk = chunkOf(mirrored);
        gaps.give(mirrored, bytes, from[chunk], to[chunk]);
        free[chunk] += bytes;
        if (free[chunk] == to[chunk] - from[chunk]) {
            giveUp(chunk);
        }
        return bytes;
    }

    private int chunkOf(long mirrored) {
        int chunk = 0;
        while (mirrored < from[chunk] || mirrored >= to[chunk]) {
            chunk++;
        }
        return chunk;
    }

    private void giveUp(int chunk) {
        unreserved.give(from[chunk], to[chunk] - from[chunk], first, last);
        gaps.close(from[chunk], to[chunk]);
        chunks--;
        int younger = chunks - chunk;
        System.arraycopy(from, chunk + 1, from, chunk, younger);
        System.arraycopy(to, chunk + 1, to, chunk, younger);
        System.arraycopy(free, chunk + 1, free, chunk, younger);
    }
}
