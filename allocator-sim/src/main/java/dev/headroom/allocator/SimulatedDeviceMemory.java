package dev.headroom.allocator;

import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongRBTreeMap;

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

    /** The taken ranges between two addresses and the gaps between them, both as sizes by address. */
    private static final class AddressSpace {
        private final Long2LongRBTreeMap gaps = new Long2LongRBTreeMap();
        private final Long2LongRBTreeMap taken = new Long2LongRBTreeMap();

        AddressSpace(long from, long to) {
            gaps.put(from, to - from);
            taken.defaultReturnValue(NONE);
        }

        /** Takes the lowest gap that is large enough; {@link #NONE} when there is none. */
        long take(long bytes) {
            for (Long2LongMap.Entry gap : gaps.long2LongEntrySet()) {
                long size = gap.getLongValue();
                if (size >= bytes) {
                    long address = gap.getLongKey();
                    gaps.remove(address);
                    if (size > bytes) {
                        gaps.put(address + bytes, size - bytes);
                    }
                    taken.put(address, bytes);
                    return address;
                }
            }
            return NONE;
        }

        /** Gives a range back and returns its size, or {@link #NONE} when it was not taken. */
        long drop(long address) {
            long bytes = taken.remove(address);
            if (bytes == NONE) {
                return NONE;
            }
            long start = address;
            long size = bytes;
            if (gaps.containsKey(address + bytes)) {
                size += gaps.remove(address + bytes);
            }
            if (!gaps.isEmpty() && gaps.firstLongKey() < address) {
                long before = gaps.headMap(address).lastLongKey();
                if (before + gaps.get(before) == address) {
                    start = before;
                    size += gaps.get(before);
                }
            }
            gaps.put(start, size);
            return bytes;
        }
    }
}
