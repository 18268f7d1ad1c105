package dev.headroom.estimator.parallel.group;

/**
 * A group of ranks as one of them sees it.
 *
 * @param size how many ranks
 * @param rank the own place among them
 * @param communicator number of its NCCL communicator, by first use in the process
 */
public record ProcessGroup(int size, int rank, int communicator) {
    public ProcessGroup {
        if (size < 1 || rank < 0 || rank >= size) {
            throw new IllegalArgumentException("rank " + rank + " of a group of " + size);
        }
    }

    /** All ranks of a world. */
    public static ProcessGroup world(int size, int rank) {
        return new ProcessGroup(size, rank, 0);
    }
}
