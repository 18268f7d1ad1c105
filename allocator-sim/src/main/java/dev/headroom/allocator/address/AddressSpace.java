package dev.headroom.allocator.address;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.util.Arrays;

/**
 * The ranges that are taken between two addresses, and the gaps between them. Gaps are few, as segments fill them from
 * below: they lie in two arrays in address order, which are quicker to go through and to change than a tree.
 */
final class AddressSpace implements Addresses {
    private long[] gaps;
    private long[] sizes;
    private int count = 1;
    /** Sizes of the taken ranges by address. */
    private final Long2LongOpenHashMap taken;

    AddressSpace(long from, long to) {
        gaps = new long[2];
        sizes = new long[2];
        taken = new Long2LongOpenHashMap(2);
        gaps[0] = from;
        sizes[0] = to - from;
        taken.defaultReturnValue(NONE);
    }

    private AddressSpace(AddressSpace other) {
        gaps = other.gaps.clone();
        sizes = other.sizes.clone();
        count = other.count;
        taken = other.taken.clone();
    }

    @Override
    public AddressSpace copy() {
        return new AddressSpace(this);
    }

    /** Whether no range is taken. */
    boolean isEmpty() {
        return taken.isEmpty();
    }

    /** Takes the lower end of the lowest gap that is large enough. */
    @Override
    public long take(long bytes) {
        for (int i = 0; i < count; i++) {
            if (sizes[i] >= bytes) {
                long address = gaps[i];
                gaps[i] += bytes;
                shrink(i, bytes);
                taken.put(address, bytes);
                return address;
            }
        }
        return NONE;
    }

    /** Takes the upper end of the highest gap that is large enough; {@link #NONE} when there is none. */
    long takeHighest(long bytes) {
        for (int i = count - 1; i >= 0; i--) {
            if (sizes[i] >= bytes) {
                long address = gaps[i] + sizes[i] - bytes;
                shrink(i, bytes);
                taken.put(address, bytes);
                return address;
            }
        }
        return NONE;
    }

    private void shrink(int gap, long bytes) {
        sizes[gap] -= bytes;
        if (sizes[gap] == 0) {
            remove(gap);
        }
    }

    @Override
    public long drop(long address) {
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
