package dev.headroom.allocator.address;

/** The ranges that are taken between two addresses, and the gaps between them, which segments fill from below. */
final class AddressSpace implements Addresses {
    private final long from;
    private final long to;
    private final Gaps gaps;
    private final Ranges taken;

    AddressSpace(long from, long to) {
        this.from = from;
        this.to = to;
        gaps = new Gaps();
        gaps.open(from, to);
        taken = new Ranges();
    }

    private AddressSpace(AddressSpace other) {
        from = other.from;
        to = other.to;
        gaps = new Gaps(other.gaps);
        taken = new Ranges(other.taken);
    }

    @Override
    public AddressSpace copy() {
        return new AddressSpace(this);
    }

    /** Takes the lower end of the lowest gap that is large enough. */
    @Override
    public long take(long bytes) {
        long address = gaps.takeLowest(bytes);
        if (address == Gaps.NOTHING) {
            return NONE;
        }
        taken.add(address, bytes);
        return address;
    }

    @Override
    public long drop(long address) {
        int at = taken.of(address);
        if (at < 0) {
            return NONE;
        }
        long bytes = taken.size(at);
        taken.remove(at);
        gaps.give(address, bytes, from, to);
        return bytes;
    }
}
