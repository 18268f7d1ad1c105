package dev.headroom.allocator;

import dev.headroom.allocator.address.Addresses;
import dev.headroom.allocator.address.Placement;

/**
 * Device memory that consists of addresses only. Every allocation takes whole granules of 2 MiB, as on current NVIDIA
 * drivers, at the address that a {@link Placement} says. Ranges of virtual memory lie in ascending order.
 */
public final class SimulatedDeviceMemory implements DeviceMemory {
    /** Smallest unit that the driver hands out. */
    public static final long GRANULE = 2 * Bytes.MIB;

    private static final long PLAIN_BASE = Bytes.TIB;
    private static final long PLAIN_SPAN = 4 * Bytes.TIB;
    private static final long VIRTUAL_SPAN = 1L << 57;

    private Addresses plain;
    private Addresses virtual =
            Placement.ASCENDING.between(PLAIN_BASE + PLAIN_SPAN, PLAIN_BASE + PLAIN_SPAN + VIRTUAL_SPAN);
    private long total;
    private long used;
    private long mostUsed;
    private long leastRefused = Long.MAX_VALUE;

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
        this(total, inUse, Placement.ASCENDING);
    }

    /**
     * The same, which places allocations elsewhere.
     *
     * @throws IllegalArgumentException when the total is not positive or more is in use than there is
     */
    public SimulatedDeviceMemory(long total, long inUse, Placement placement) {
        if (total <= 0 || total > PLAIN_SPAN) {
            throw new IllegalArgumentException("device memory of " + total + " bytes: give 1 byte to 4 TiB");
        }
        if (inUse < 0 || inUse > total) {
            throw new IllegalArgumentException(
                    inUse + " bytes in use of a device with " + total + " bytes: give 0 up to the device's memory");
        }
        this.total = total;
        this.used = inUse;
        this.mostUsed = inUse;
        this.plain = placement.between(PLAIN_BASE, PLAIN_BASE + PLAIN_SPAN);
    }

    /** Takes over what is taken of another device, and the size of that device. */
    public void copyFrom(SimulatedDeviceMemory other) {
        total = other.total;
        used = other.used;
        mostUsed = other.mostUsed;
        leastRefused = other.leastRefused;
        plain = other.plain.copy();
        virtual = other.virtual.copy();
    }

    /** The device has another size from now on. */
    public void resize(long bytes) {
        if (bytes < used) {
            throw new IllegalArgumentException(used + " bytes in use of a device with " + bytes + " bytes");
        }
        total = bytes;
    }

    @Override
    public long allocate(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("device allocation of " + bytes + " bytes: give a positive size");
        }
        if (bytes > PLAIN_SPAN) {
            return NONE;
        }
        long charged = Bytes.roundUp(bytes, GRANULE);
        if (!grants(charged)) {
            return NONE;
        }
        long address = plain.take(charged);
        if (address == NONE) {
            used -= charged;
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

    private boolean grants(long bytes) {
        if (bytes > total - used) {
            leastRefused = Math.min(leastRefused, used + bytes);
            return false;
        }
        used += bytes;
        mostUsed = Math.max(mostUsed, used);
        return true;
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

    /**
     * The most that was ever taken. With {@link #leastRefused} this tells which other sizes of the device would have
     * answered all requests so far alike: those of at least this, and less than that.
     */
    public long mostUsed() {
        return mostUsed;
    }

    /** The least size of a device that would have granted a request which was refused; the largest long without one. */
    public long leastRefused() {
        return leastRefused;
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
        return grants(bytes);
    }

    @Override
    public void unmap(long address, long bytes, long granule) {
        used -= bytes;
    }
}
