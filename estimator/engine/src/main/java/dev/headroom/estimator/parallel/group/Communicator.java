package dev.headroom.estimator.parallel.group;

import dev.headroom.model.graph.DType;

/** A group of ranks that talk over a communicator of their own, which is numbered when they first do. */
public final class Communicator {
    private final CollectiveLog log;
    private final int size;
    private final int rank;
    private int number = -1;

    /**
     * A group as one of its ranks sees it.
     *
     * @param rank the own place among them
     */
    public Communicator(CollectiveLog log, int size, int rank) {
        this.log = log;
        this.size = size;
        this.rank = rank;
    }

    /** How many ranks. */
    public int size() {
        return size;
    }

    /** The own place among them. */
    public int rank() {
        return rank;
    }

    /**
     * One collective among all ranks of the group.
     *
     * @param bytes as recordings count them, see {@link CollectiveRow}
     * @param stream on which it runs, as the runtime counts streams
     */
    public void run(CollectiveKind kind, long bytes, DType type, int stream) {
        number = number < 0 ? log.nextCommunicator() : number;
        log.add(new CollectiveRow(kind, bytes, type, size, number, log.streamNumber(stream), -1, 1));
    }

    /**
     * What the host waits for, on the default stream.
     *
     * @param peer the root, or who is at the other end
     */
    public void runHere(CollectiveKind kind, long bytes, DType type, int peer) {
        number = number < 0 ? log.nextCommunicator() : number;
        log.add(new CollectiveRow(kind, bytes, type, size, number, 0, peer, 1));
    }
}
