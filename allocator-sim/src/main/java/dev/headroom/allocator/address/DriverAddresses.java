package dev.headroom.allocator.address;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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

    private final AddressSpace reserved;
    private final List<Chunk> oldestFirst;
    private final TreeMap<Long, Chunk> byAddress = new TreeMap<>();

    /** A reserved range. */
    private static final class Chunk {
        final long base;
        final AddressSpace space;
        long free;

        Chunk(long base, long bytes) {
            this(base, new AddressSpace(base, base + bytes), bytes);
        }

        private Chunk(long base, AddressSpace space, long free) {
            this.base = base;
            this.space = space;
            this.free = free;
        }

        Chunk copy() {
            return new Chunk(base, space.copy(), free);
        }

        long take(long bytes) {
            long address = bytes > free ? NONE : space.take(bytes);
            free -= address == NONE ? 0 : bytes;
            return address;
        }
    }

    DriverAddresses(long from, long to) {
        this(new AddressSpace(from, to), List.of());
    }

    private DriverAddresses(AddressSpace reserved, List<Chunk> chunks) {
        this.reserved = reserved;
        this.oldestFirst = new ArrayList<>(chunks);
        chunks.forEach(chunk -> byAddress.put(chunk.base, chunk));
    }

    @Override
    public Addresses copy() {
        return new DriverAddresses(
                reserved.copy(), oldestFirst.stream().map(Chunk::copy).toList());
    }

    @Override
    public long take(long bytes) {
        for (int i = oldestFirst.size() - 1; i >= 0; i--) {
            long address = oldestFirst.get(i).take(bytes);
            if (address != NONE) {
                return address;
            }
        }
        long size = (bytes + CHUNK - 1) / CHUNK * CHUNK;
        long base = reserved.takeHighest(size);
        if (base == NONE) {
            return NONE;
        }
        Chunk chunk = new Chunk(base, size);
        oldestFirst.add(chunk);
        byAddress.put(base, chunk);
        return chunk.take(bytes);
    }

    @Override
    public long drop(long address) {
        Map.Entry<Long, Chunk> entry = byAddress.floorEntry(address);
        if (entry == null) {
            return NONE;
        }
        Chunk chunk = entry.getValue();
        long bytes = chunk.space.drop(address);
        if (bytes == NONE) {
            return NONE;
        }
        chunk.free += bytes;
        if (chunk.space.isEmpty()) {
            oldestFirst.remove(chunk);
            byAddress.remove(chunk.base);
            reserved.drop(chunk.base);
        }
        return bytes;
    }
}
