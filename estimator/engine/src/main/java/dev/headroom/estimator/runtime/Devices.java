package dev.headroom.estimator.runtime;

import dev.headroom.allocator.CachingAllocator;
import dev.headroom.estimator.log.Attributions;
import dev.headroom.estimator.repeat.Beginning;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs of the process. Each has memory of its own; what is made, is made on the current one. A node of autograd
 * runs on the device that it was recorded on, and leaves accumulate where they are.
 */
public final class Devices {
    private final List<LoggedMemory> memories = new ArrayList<>();
    private LoggedMemory current;
    private @Nullable LoggedMemory failed;
    private boolean host;
    private long paged;

    Devices(List<CachingAllocator> allocators, Attributions attributions, Streams streams) {
        for (CachingAllocator allocator : allocators) {
            memories.add(new LoggedMemory(this, memories.size(), allocator, attributions, streams));
        }
        current = memories.get(0);
    }

    /** How many there are. */
    public int count() {
        return memories.size();
    }

    /** {@code torch.cuda.current_device()}. */
    public int current() {
        return current.device();
    }

    /**
     * Makes a device the current one.
     *
     * @return the one before
     */
    public int use(int device) {
        int before = current.device();
        current = memories.get(device);
        return before;
    }

    /**
     * From now on what is made is made in host memory, or on the current device again.
     *
     * @return what was so before
     */
    public boolean computeOnHost(boolean value) {
        boolean before = host;
        host = value;
        return before;
    }

    boolean computesOnHost() {
        return host;
    }

    /** The memory of a device. */
    public LoggedMemory memory(int device) {
        return memories.get(device);
    }

    /** The device that a tensor is on. */
    public int of(Tensor t) {
        return t.storage().home.device();
    }

    /** The memory that last refused a request; {@code null} for none. */
    public @Nullable LoggedMemory failed() {
        return failed;
    }

    /** Takes managed memory, which CUDA moves between host and device and no allocator of PyTorch sees. */
    public void page(long bytes) {
        paged += bytes;
    }

    /** Bytes of managed memory. */
    public long paged() {
        return paged;
    }

    /** Adds which device is current, and what none of them sees. */
    public void describe(Beginning to) {
        to.number(count());
        to.number(current());
        to.flag(host);
        to.number(paged);
    }

    void noteFailure(LoggedMemory memory) {
        failed = memory;
    }

    LoggedMemory memory() {
        return current;
    }
}
