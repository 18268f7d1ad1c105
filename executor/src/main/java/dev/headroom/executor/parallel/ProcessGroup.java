package dev.headroom.executor.parallel;

import java.util.List;

/** All ranks, as one of them sees them. */
public final class ProcessGroup {
    private final Rendezvous place;
    private final int rank;

    ProcessGroup(Rendezvous place, int rank) {
        this.place = place;
        this.rank = rank;
    }

    /** How many ranks. */
    public int size() {
        return place.ranks();
    }

    /** The own place among them. */
    public int rank() {
        return rank;
    }

    /**
     * Gives every rank what each of them has.
     *
     * @param mine may be {@code null}; not to be changed afterwards
     * @return by rank
     * @throws RanksLeftException when a rank has ended
     */
    @SuppressWarnings("unchecked") // all ranks run the same program
    <T> List<T> gather(T mine) {
        return (List<T>) place.exchange(rank, mine);
    }
}
