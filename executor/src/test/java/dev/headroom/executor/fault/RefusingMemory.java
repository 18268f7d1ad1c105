package dev.headroom.executor.fault;

import dev.headroom.allocator.DeviceMemory;

/** Device memory that refuses some requests, and counts what is out. */
final class RefusingMemory implements DeviceMemory {
    private final DeviceMemory memory;
    private final long first;
    private final long last;
    private long requests;
    private long outstanding;

    /**
     * @param first number of the first request to refuse, counted from 1
     * @param last number of the last one
     */
    RefusingMemory(DeviceMemory memory, long first, long last) {
        this.memory = memory;
        this.first = first;
        this.last = last;
    }

    /** Whether a request has been refused. */
    boolean refused() {
        return requests >= first;
    }

    /** Allocations that have not come back. */
    long outstanding() {
        return outstanding;
    }

    @Override
    public long allocate(long bytes) {
        requests++;
        if (requests >= first && requests <= last) {
            return NONE;
        }
        long address = memory.allocate(bytes);
        outstanding += address == NONE ? 0 : 1;
        return address;
    }

    @Override
    public void free(long address, long bytes) {
        memory.free(address, bytes);
        outstanding--;
    }

    @Override
    public long free() {
        return memory.free();
    }

    @Override
    public long total() {
        return memory.total();
    }
}
