package dev.headroom.executor.parallel;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * All ranks of a run. Whoever runs holds its monitor, so that one rank runs at a time, and gives it up while it waits
 * for others.
 */
final class World {
    /** Messages of one kind from one rank to another, in the order in which they were sent. */
    private record Channel(int from, int to, String kind) {}

    private final Map<List<Integer>, Rendezvous> groups = new HashMap<>();
    private final Map<Channel, Deque<Object>> messages = new HashMap<>();
    private final Set<Integer> left = new HashSet<>();

    /** Where the ranks of a group meet, the same for all of them. */
    synchronized Rendezvous group(List<Integer> ranks) {
        return groups.computeIfAbsent(ranks, of -> new Rendezvous(this, of));
    }

    /** Somebody may have what it waits for. */
    synchronized void wake() {
        notifyAll();
    }

    /**
     * Waits until something holds.
     *
     * @param on ranks whom it waits for
     * @throws RanksLeftException when one of them has ended and it does not hold
     */
    synchronized void await(Collection<Integer> on, BooleanSupplier holds) {
        while (!holds.getAsBoolean()) {
            if (on.stream().anyMatch(left::contains)) {
                throw new RanksLeftException();
            }
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RanksLeftException();
            }
        }
    }

    /** Leaves a message, which waits for nobody. */
    synchronized void send(int from, int to, String kind, Object message) {
        messages.computeIfAbsent(new Channel(from, to, kind), c -> new ArrayDeque<>())
                .add(message);
        wake();
    }

    /** Waits for a message. */
    synchronized Object receive(int from, int to, String kind) {
        Deque<Object> waiting = messages.computeIfAbsent(new Channel(from, to, kind), c -> new ArrayDeque<>());
        await(List.of(from), () -> !waiting.isEmpty());
        return waiting.remove();
    }

    /** A rank has ended. */
    synchronized void leave(int rank) {
        left.add(rank);
        notifyAll();
    }
}
