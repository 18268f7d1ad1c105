package dev.headroom.executor.tensor;

/** Memory that one tensor or several share; it goes back to the allocator with the last of them. */
public final class Storage {
    static final int NO_BLOCK = -1;

    private final long bytes;
    private final long address;
    private final long rounded;
    private final MemoryLog.Account account;
    private final long number;
    final int block;
    private int users;
    private int version;

    /**
     * Over a block of the allocator.
     *
     * @param rounded bytes of the block
     */
    Storage(long bytes, int block, long address, long rounded, MemoryLog log, Owner owner) {
        this.bytes = bytes;
        this.block = block;
        this.address = address;
        this.rounded = rounded;
        this.account = log.account(owner);
        this.number = log.allocated(bytes, rounded, account);
    }

    /** Without memory. */
    Storage() {
        this.bytes = 0;
        this.block = NO_BLOCK;
        this.address = 0;
        this.rounded = 0;
        this.account = null;
        this.number = -1;
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

    /** Notes its end. */
    void freed(MemoryLog log) {
        log.freed(number, bytes, rounded, account);
    }

    void share() {
        users++;
    }

    boolean leave() {
        return --users == 0;
    }
}
