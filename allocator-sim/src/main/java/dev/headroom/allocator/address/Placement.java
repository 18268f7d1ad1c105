package dev.headroom.allocator.address;

/**
 * At which addresses a simulated device places what is asked for. It decides only between free blocks of one size, of
 * which the caching allocator takes that of the lowest address; but that decides how segments fragment.
 */
public enum Placement {
    /** As NVIDIA's driver for Linux does, see {@link DriverAddresses}: segments that come later mostly lie lower. */
    DRIVER {
        @Override
        public Addresses between(long from, long to) {
            return new DriverAddresses(from, to);
        }
    },
    /** The lowest address where there is room, as the null CUDA libraries do over which PyTorch was recorded. */
    ASCENDING {
        @Override
        public Addresses between(long from, long to) {
            return new AddressSpace(from, to);
        }
    };

    /** Nothing of this range is taken. */
    public abstract Addresses between(long from, long to);
}
