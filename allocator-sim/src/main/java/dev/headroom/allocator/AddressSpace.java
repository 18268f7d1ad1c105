package dev.headroom.allocator;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.util.Arrays;

/**
 * The ranges that are taken between two addresses, and the gaps between them. Gaps are few, as segments fill them from
 * below: they lie in two arrays in address order, which are quicker to go through and to change than a tree.
 */
final class AddressSpace {
    private static final long NONE = DeviceMemory.NONE;

    private long[] gaps = new long[8];
    private long[] sizes = new long[8];
    private int count = 1;
    /** Sizes of the taken ranges by address. */
    private Long2LongOpenHashMap taken = new Long2LongOpenHashMap();

    AddressSpace(long from, long to) {
        gaps[0] = from;
        sizes[0] = to - from;
        taken.defaultReturnValue(NONE);
    }

    /** Takes over the ranges of another. */
    void copyFrom(AddressSpace other) {
        gaps = other.gaps.clone();
        sizes = other.sizes.clone();
        count = other.count;
        taken = other.taken.clone();
    }

    /** Takes the lowest gap that is large enough; {@link DeviceMemory#NONE} when there is none. */
    long take(long bytes) {
        for (int i = 0; i < count; i++) {
            if (sizes[i] >= bytes) {
                long address = gaps[i];
                gaps[i] += bytes;
                sizes[i] -= bytes;
                if (sizes[i] == 0) {
                    remove(i);
                }
                taken.put(address, bytes);
                return address;
            }
        }
        return NONE;
    }

    /** Gives a range back and returns its size, or {@link DeviceMemory#NONE} when it was not taken. */
    long drop(long address) {
        long bytes = taken.remove(address);
        if (bytes == NONE) {
            return NONE;
        }
        int after = -1 - Arrays.binarySearch(gaps, 0, count, address);
        boolean joinsBefore = after > 0 && gaps[after - 1] + sizes[after - 1] == address;
        boolean joinsAfter = after < count && address + bytes == gaps[after];
        if (joinsBefore && joinsAfter) {
            sizes[after - 1] += bytes + sizes[after];
            remove(after);
        } else if (joinsBefore) {
            sizes[after - 1] += bytes;
        } else if (joinsAfter) {
            gaps[after] = address;
            sizes[after] += bytes;
        } else {
            insert(after, address, bytes);
        }
        return bytes;
    }

    private void insert(int at, long address, long bytes) {
        if (count == gaps.length) {
            gaps = Arrays.copyOf(gaps, 2 * count);
            sizes = Arrays.copyOf(sizes, 2 * count);
        }
        System.arraycopy(gaps, at, gaps, at + 1, count - at);
        System.arraycopy(sizes, at, sizes, at + 1, count - at);
        gaps[at] = address;
        sizes[at] = bytes;
        count++;
    }

    private void remove(int at) {
        count--;
        System.arraycopy(gaps, at + 1, gaps, at, count - at);
        System.arraycopy(sizes, at + 1, sizes, at, count - at);
    }
}
