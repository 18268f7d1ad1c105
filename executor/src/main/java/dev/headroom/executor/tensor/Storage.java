package dev.headroom.executor.tensor;

/** Memory that one tensor or several share; it goes back to the allocator with the last of them. */
public final class Storage {
    static final int NO_BLOCK = -1;

    private final long bytes;
    private final long address;
    private final int event;
    final int block;
    private int users;
    private int version;

    /** @param event number in the {@link MemoryLog} */
    Storage(long bytes, int block, long address, int event) {
        this.bytes = bytes;
        this.block = block;
        this.address = address;
        this.event = event;
    }

    /** Bytes that were asked for. */
    public long bytes() {
        return bytes;
    }

    /** First byte in the device's memory; without meaning for an empty storage. */
    public long address() {
        return address;
    }

    /** Tensors that share it ({@code Storage.use_count()}). */
    public int users() {
        return users;
    }

    /** How often its values were changed in place; autograd compares it with what it was when a tensor was saved. */
    public int version() {
        return version;
    }

    /** Notes a change in place. */
    public void changed() {
        version++;
    }

    int event() {
        return event;
    }

    void share() {
        users++;
    }

    boolean leave() {
        return --users == 0;
    }
}
