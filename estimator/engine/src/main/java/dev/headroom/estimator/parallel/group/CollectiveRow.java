package dev.headroom.estimator.parallel.group;

import dev.headroom.model.graph.DType;

/**
 * Something that a rank asked of NCCL, as recordings list it.
 *
 * @param bytes the whole buffer; for {@code all_gather} and {@code reduce_scatter} one rank's part of it
 * @param type of the elements
 * @param groupSize ranks that take part
 * @param communicator by first use in the process
 * @param stream the number of the stream that it ran on
 * @param peer the root, or who is at the other end; -1 for all alike
 * @param times how often in a row
 */
public record CollectiveRow(
        CollectiveKind kind, long bytes, DType type, int groupSize, int communicator, int stream, int peer, int times) {

    /** Bytes of the whole buffer, of which each rank has a part in an all-gather or a reduce-scatter. */
    public long wholeBytes() {
        boolean parts = kind == CollectiveKind.ALL_GATHER || kind == CollectiveKind.REDUCE_SCATTER;
        return parts ? bytes * groupSize : bytes;
    }

    /** Bytes of all that the row stands for. */
    public long allBytes() {
        return wholeBytes() * times;
    }

    /** Whether another row is the same but for how often. */
    boolean repeats(CollectiveRow other) {
        return equals(other.times(times));
    }

    CollectiveRow times(int n) {
        return new CollectiveRow(kind, bytes, type, groupSize, communicator, stream, peer, n);
    }
}
