package dev.headroom.estimator.runtime;

import dev.headroom.allocator.CachingAllocator;
import java.util.List;

/**
 * CUDA streams: small numbers, 0 the default one. Memory is taken from the pool of the stream that is current when it
 * is asked for, and serves that stream at once when it is freed; uses on other streams must be recorded, so that it
 * waits for them (c10/cuda/CUDACachingAllocator.cpp, recordStream).
 */
public final class Streams {
    private final List<CachingAllocator> allocators;
    private int current;

    Streams(List<CachingAllocator> allocators) {
        this.allocators = List.copyOf(allocators);
    }

    /** {@code torch.cuda.current_stream()}. */
    public int current() {
        return current;
    }

    /**
     * Makes a stream the current one: {@code torch.cuda.set_stream}.
     *
     * @return the one before
     */
    public int use(int stream) {
        int before = current;
        current = stream;
        return before;
    }

    /**
     * {@code tensor.record_stream(stream)}: when freed, the tensor's memory waits for what the stream has been given.
     */
    public void recordUse(Tensor t, int stream) {
        if (t.storage().block >= 0) {
            t.storage().home.allocator().recordStream(t.storage().block, stream);
        }
    }

    /** The host waits for all that the device was given: it copies something back, or reads a number. */
    public void hostWaits() {
        allocators.forEach(a -> a.reached(a.mark()));
    }

    /** {@code torch.cuda.Event.record} on the first device, the only one of a rank: the number of the event. */
    public long mark() {
        return allocators.get(0).mark();
    }

    /** {@code torch.cuda.Event.query}. */
    public boolean isOver(long mark) {
        return allocators.get(0).isOver(mark);
    }

    /** {@code torch.cuda.Event.synchronize}. */
    public void waitFor(long mark) {
        allocators.get(0).reached(mark);
    }

    /** The stream whose pool a tensor's memory is of. */
    public int of(Tensor t) {
        return t.storage().stream;
    }
}
