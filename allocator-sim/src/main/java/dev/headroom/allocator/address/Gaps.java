package dev.headroom.allocator.address;

/** Ranges that nobody has taken. Each lies between two bounds, which callers name, and joins none beyond them. */
final class Gaps {
    /** No address at all: those below zero are some. */
    static final long NOTHING = Long.MIN_VALUE;

    private final Ranges ranges;

    Gaps() {
        ranges = new Ranges();
    }

    Gaps(Gaps other) {
        ranges = new Ranges(other.ranges);
    }

    /** Opens the range between two bounds. */
    void open(long from, long to) {
        ranges.add(from, to - from);
    }

    /** Forgets the gaps between two bounds. */
    void close(long from, long to) {
        ranges.remove(ranges.from(from), ranges.from(to));
    }

    /** Takes the lower end of the lowest gap that is large enough; {@link #NOTHING} when there is none. */
    long takeLowest(long bytes) {
        int end = ranges.count();
        for (int i = 0; i < end; i++) {
            long rest = ranges.size(i) - bytes;
            if (rest >= 0) {
                long address = ranges.address(i);
                shrink(i, address + bytes, rest);
                return address;
            }
        }
        return NOTHING;
    }

    /** Takes the upper end of the highest gap between bounds that is large enough; {@link #NOTHING} without one. */
    long takeHighest(long from, long to, long bytes) {
        for (int i = ranges.from(to) - 1; i >= 0 && ranges.address(i) >= from; i--) {
            long rest = ranges.size(i) - bytes;
            if (rest >= 0) {
                long address = ranges.address(i);
                shrink(i, address, rest);
                return address + rest;
            }
        }
        return NOTHING;
    }

    private void shrink(int gap, long from, long rest) {
        if (rest == 0) {
            ranges.remove(gap);
        } else {
            ranges.set(gap, from, rest);
        }
    }

    /** Gives a range between bounds back. */
    void give(long address, long bytes, long from, long to) {
        int after = ranges.from(address);
        long end = address + bytes;
        int before = after - 1;
        boolean joinsBefore = address > from && before >= 0 && ranges.address(before) + ranges.size(before) == address;
        boolean joinsAfter = end < to && after < ranges.count() && ranges.address(after) == end;
        if (joinsBefore) {
            long size = ranges.size(before) + bytes + (joinsAfter ? ranges.size(after) : 0);
            ranges.set(before, ranges.address(before), size);
            if (joinsAfter) {
                ranges.remove(after);
            }
        } else if (joinsAfter) {
            ranges.set(after, address, bytes + ranges.size(after));
        } else {
            ranges.insert(after, address, bytes);
        }
    }
}
