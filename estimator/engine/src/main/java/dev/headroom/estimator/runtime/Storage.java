package dev.headroom.estimator.runtime;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.repeat.Beginning;
import dev.headroom.estimator.repeat.Memory;
import dev.headroom.estimator.repeat.Part;
import org.jspecify.annotations.Nullable;

/**
 * A piece of device memory, shared by tensors that are views of each other; freed with its last reference. Its memory
 * can be taken away and given back while tensors hold it: {@code untyped_storage().resize_()}.
 */
public final class Storage extends Part implements Memory {
    /** Position in the event log of its device, or -1 while it has no memory. */
    int id;

    /** The memory of its device. */
    final LoggedMemory home;

    long bytes;

    /** Whether it is in host memory, of which nothing is counted. */
    final boolean onHost;

    /** The allocator's handle, or -1: empty, or not on the device. */
    int block;

    /** The stream whose pool its block is of. */
    int stream;

    private int refs;
    private int savedRefs;

    /** How often an operator that autograd recorded has written into it. */
    int version;

    private Category category;

    /** What a collective still reads whose result this is; {@code null} once somebody has waited for it. */
    private @Nullable Tensor inFlight;

    Storage(LoggedMemory home, int id, long bytes, int block, int stream, Category category, boolean onHost) {
        this.onHost = onHost;
        this.home = home;
        this.stream = stream;
        this.id = id;
        this.bytes = bytes;
        this.block = block;
        this.category = category;
    }

    /** Its number in the event log of its device. */
    @Override
    public int number() {
        return id;
    }

    @Override
    public int block() {
        return block;
    }

    @Override
    public void become(int number, int newBlock) {
        id = number;
        block = newBlock;
    }

    @Override
    protected void describe(Beginning to) {
        to.memory(this);
        to.number(bytes);
        to.number(stream);
        to.number(refs);
        to.number(category == Category.TEMPORARIES ? savedRefs : 0); // others do not count as saved
        to.number(category.ordinal() << 1 | (onHost ? 1 : 0));
        to.unknownIf(inFlight != null);
    }

    public long bytes() {
        return bytes;
    }

    /** How many tensors hold it: PyTorch's {@code storage().use_count()}. */
    public int useCount() {
        return refs;
    }

    /** What it counts as now. */
    public Category category() {
        return category == Category.TEMPORARIES && savedRefs > 0 ? Category.SAVED_ACTIVATIONS : category;
    }

    void hold() {
        refs++;
    }

    /** @return whether that was the last reference */
    boolean release() {
        return --refs == 0;
    }

    void addSaved(int delta) {
        savedRefs += delta;
    }

    void setCategory(Category category) {
        this.category = category;
    }

    /**
     * The result of a collective that nobody has waited for: what it reads lives until somebody does
     * (torch/distributed/_functional_collectives.py, AsyncCollectiveTensor).
     */
    public void keepUntilWaited(EagerRuntime runtime, Tensor read) {
        await(runtime);
        inFlight = runtime.hold(read);
    }

    /**
     * Waits for the collective whose result this is, if nobody has. Views do not, whatever else reads the memory does.
     */
    public void await(EagerRuntime runtime) {
        Tensor read = inFlight;
        inFlight = null;
        runtime.release(read);
    }
}
