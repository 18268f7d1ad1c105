package dev.headroom.executor.host;

import dev.headroom.allocator.DeviceMemory;
import dev.headroom.allocator.SimulatedDeviceMemory;
import dev.headroom.allocator.address.Placement;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Host memory in the place of a device's. Addresses and refusals are those of a simulated device; the bytes behind a
 * segment are taken when the segment is, and given back with it.
 */
public final class HostMemory implements DeviceMemory {
    private final SimulatedDeviceMemory addresses;
    private final TreeMap<Long, Segment> segments = new TreeMap<>();

    /** Its bytes are made when a kernel first looks: most of a workspace is never touched. */
    private static final class Segment {
        private final long bytes;
        private @Nullable ByteBuffer buffer;

        private Segment(long bytes) {
            this.bytes = bytes;
        }

        private ByteBuffer buffer() {
            if (buffer == null) {
                buffer = ByteBuffer.allocate(Math.toIntExact(bytes)).order(ByteOrder.nativeOrder());
            }
            return buffer;
        }
    }

    /**
     * @param total bytes of the nominal device
     * @param inUse bytes of it that are taken by others
     */
    public HostMemory(long total, long inUse) {
        addresses = new SimulatedDeviceMemory(total, inUse, Placement.DRIVER);
    }

    @Override
    public long allocate(long bytes) {
        long address = addresses.allocate(bytes);
        if (address != NONE) {
            segments.put(address, new Segment(bytes));
        }
        return address;
    }

    @Override
    public void free(long address, long bytes) {
        segments.remove(address);
        addresses.free(address, bytes);
    }

    @Override
    public long free() {
        return addresses.free();
    }

    @Override
    public long total() {
        return addresses.total();
    }

    /** Segments that are taken. */
    public int segments() {
        return segments.size();
    }

    /** The segment that holds an address. */
    ByteBuffer segment(long address) {
        return segments.floorEntry(address).getValue().buffer();
    }

    /** Where an address lies in its segment. */
    int position(long address) {
        return Math.toIntExact(address - segments.floorKey(address));
    }
}
