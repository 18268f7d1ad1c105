package dev.headroom.executor.tensor;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Memory that one tensor or several share; it goes back to the allocator with the last of them. */
public final class Storage {
    private final long bytes;
    private @Nullable Block taken;
    private int users;
    private int version;

    /**
     * A block of the allocator.
     *
     * @param rounded bytes
     */
    private record Block(int handle, long address, long rounded, MemoryLog.Account account, long number) {}

    /** Without memory for so many bytes. */
    Storage(long bytes) {
        this.bytes = bytes;
    }

    /** It has memory from now on. */
    void take(int block, long address, long rounded, MemoryLog log, Owner owner) {
        MemoryLog.Account account = log.account(owner);
        taken = new Block(block, address, rounded, account, log.allocated(bytes, rounded, account));
    }

    /** The allocator's handle of its block, which it has. */
    int block() {
        return inMemory().handle;
    }

    /** Whether it has memory now. */
    public boolean hasMemory() {
        return taken != null;
    }

    /** Bytes that were asked for. */
    public long bytes() {
        return bytes;
    }

    /** First byte in the device's memory; without meaning for an empty storage. */
    public long address() {
        return taken == null ? 0 : taken.address;
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

    /** Its memory is gone. */
    void freed(MemoryLog log) {
        Block block = inMemory();
        log.freed(block.number, bytes, block.rounded, block.account);
        taken = null;
    }

    private Block inMemory() {
        return Objects.requireNonNull(taken, "a block");
    }

    void share() {
        users++;
    }

    boolean leave() {
        return --users == 0;
    }
}
