package dev.headroom.allocator;

/**
 * Device memory that consists of addresses only. Every allocation takes whole granules of 2 MiB, as on current NVIDIA
 * drivers, at the lowest address where it fits. Real drivers may choose other addresses, which matters only where the
 * allocator decides between equal blocks by address.
 */
public final class SimulatedDeviceMemory implements DeviceMemory {
    /** Smallest unit that the driver hands out. */
    public static final long GRANULE = 2 * Bytes.MIB;

    private static final long PLAIN_BASE = Bytes.TIB;
    private static final long PLAIN_SPAN = 4 * Bytes.TIB;
    private static final long VIRTUAL_SPAN = 1L << 57;

    private final long total;
    private final AddressSpace plain = new AddressSpace(PLAIN_BASE, PLAIN_BASE + PLAIN_SPAN);
    private final AddressSpace virtual =
            new AddressSpace(PLAIN_BASE + PLAIN_SPAN, PLAIN_BASE + PLAIN_SPAN + VIRTUAL_SPAN);
    private long used;

    /**
     * @param total bytes of the device
     * @throws IllegalArgumentException when not positive
     */
    public SimulatedDeviceMemory(long total) {
        this(total, 0);
    }

    /**
     * @param total bytes of the device
     * @param inUse bytes taken by others: the context, libraries, other processes
     * @throws IllegalArgumentException when the total is not positive or more is in use than there is
     */
    public SimulatedDeviceMemory(long total, long inUse) {
        if (total <= 0 || total > PLAIN_SPAN) {
            throw new IllegalArgumentException("device memory of " + total + " bytes: give 1 byte to 4 TiB");
        }
        if (inUse < 0 || inUse > total) {
            throw new IllegalArgumentException(
                    inUse + " bytes in use of a device with " + total + " bytes: give 0 up to the device's memory");
        }
        this.total = total;
        this.used = inUse;
    }

    @Override
    public long allocate(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("device allocation of " + bytes + " bytes: give a positive size");
        }
        if (bytes > total - used) {
            return NONE;
        }
        long charged = Bytes.roundUp(bytes, GRANULE);
        if (charged > total - used) {
            return NONE;
        }
        long address = plain.take(charged);
        if (address != NONE) {
            used += charged;
        }
        return address;
    }

    @Override
    public void free(long address, long bytes) {
        long charged = plain.drop(address);
        if (charged == NONE) {
            throw new IllegalArgumentException("free of address " + address + ", which is not allocated");
        }
        used -= charged;
    }

    @Override
    public long free() {
        return total - used;
    }

    @Override
    public long total() {
        return total;
    }

    /** Bytes taken: what was in use from the start, and all allocations with their rounding. */
    public long used() {
        return used;
    }

    @Override
    public long reserveAddresses(long bytes) {
        return virtual.take(Bytes.roundUp(bytes, GRANULE));
    }

    @Override
    public void releaseAddresses(long address, long bytes) {
        if (virtual.drop(address) == NONE) {
            throw new IllegalArgumentException("release of address " + address + ", which is not reserved");
        }
    }

    @Override
    public boolean map(long address, long bytes, long granule) {
        if (granule % GRANULE != 0) {
            throw new IllegalArgumentException("expandable segments of " + granule
                    + " bytes: the driver maps multiples of 2 MiB, set large_segment_size_mb to an even number");
        }
        if (bytes > total - used) {
            return false;
        }
        used += bytes;
        return true;
    }

    @Override
    public void unmap(long address, long bytes, long granule) {
        used -= bytes;
    }
}
