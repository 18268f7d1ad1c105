package dev.headroom.allocator.address;

import java.util.Arrays;

/**
 * Ranges of addresses, none of which overlap, by their first address. They lie in two arrays, which are quicker to look
 * through, to change and to copy than a tree or a hash table: ranges are few hundred mostly, and change at one end.
 */
final class Ranges {
    private long[] addresses;
    private long[] sizes;
    private int count;

    Ranges() {
        addresses = new long[4];
        sizes = new long[4];
    }

    Ranges(Ranges other) {
        addresses = other.addresses.clone();
        sizes = other.sizes.clone();
        count = other.count;
    }

    int count() {
        return count;
    }

    long address(int at) {
        return addresses[at];
    }

    long size(int at) {
        return sizes[at];
    }

    /** The first range that begins at an address or higher. */
    int from(long address) {
        if (count == 0 || addresses[count - 1] < address) {
            return count;
        }
        int at = Arrays.binarySearch(addresses, 0, count, address);
        return at >= 0 ? at : -1 - at;
    }

    /** The range that begins at an address, or -1. */
    int of(long address) {
        int at = from(address);
        return at < count && addresses[at] == address ? at : -1;
    }

    void set(int at, long address, long size) {
        addresses[at] = address;
        sizes[at] = size;
    }

    void add(long address, long size) {
        insert(from(address), address, size);
    }

    void insert(int at, long address, long size) {
        if (count == addresses.length) {
            addresses = Arrays.copyOf(addresses, 2 * count);
            sizes = Arrays.copyOf(sizes, 2 * count);
        }
        System.arraycopy(addresses, at, addresses, at + 1, count - at);
        System.arraycopy(sizes, at, sizes, at + 1, count - at);
        addresses[at] = address;
        sizes[at] = size;
        count++;
    }

    void remove(int at) {
        remove(at, at + 1);
    }

    /** Removes several that follow each other. */
    void remove(int first, int end) {
        System.arraycopy(addresses, end, addresses, first, count - end);
        System.arraycopy(sizes, end, sizes, first, count - end);
        count -= end - first;
    }
}
