package dev.headroom.executor.parallel;

import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Some ranks, or all, as one of them sees them. */
public final class ProcessGroup {
    private final World world;
    private final List<Integer> ranks;
    private final int place;
    private final Rendezvous meeting;

    private ProcessGroup(World world, List<Integer> ranks, int place) {
        this.world = world;
        this.ranks = ranks;
        this.place = place;
        this.meeting = world.group(ranks);
    }

    /** All of so many ranks. */
    static ProcessGroup all(World world, int ranks, int rank) {
        return new ProcessGroup(world, IntStream.range(0, ranks).boxed().toList(), rank);
    }

    /**
     * Some of the ranks.
     *
     * @param members their places in this group, the own among them
     */
    public ProcessGroup of(List<Integer> members) {
        List<Integer> chosen = members.stream().map(ranks::get).toList();
        return new ProcessGroup(world, chosen, chosen.indexOf(ranks.get(place)));
    }

    /** How many ranks. */
    public int size() {
        return ranks.size();
    }

    /** The own place among them. */
    public int rank() {
        return place;
    }

    /**
     * Gives every rank what each of them has.
     *
     * @param mine may be {@code null}; not to be changed afterwards
     * @return by place
     * @throws RanksLeftException when a rank has ended
     */
    @SuppressWarnings("unchecked") // all ranks run the same program
    <T> List<T> gather(@Nullable T mine) {
        return (List<T>) meeting.exchange(place, mine);
    }

    /**
     * Leaves a message for a rank.
     *
     * @param kind messages of a kind arrive in the order in which they were sent
     * @param message may be anything but {@code null}
     */
    public void send(int to, String kind, Object message) {
        world.send(ranks.get(place), ranks.get(to), kind, message);
    }

    /**
     * Waits for a message of a rank.
     *
     * @throws RanksLeftException when it has ended
     */
    public Object receive(int from, String kind) {
        return world.receive(ranks.get(from), ranks.get(place), kind);
    }
}
