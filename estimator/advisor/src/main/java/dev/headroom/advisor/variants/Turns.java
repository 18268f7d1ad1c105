package dev.headroom.advisor.variants;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/** A number of places, taken in turn: first by who is wanted most, then by who came first. */
final class Turns {
    /** Who waits for a place. */
    private record Waiter(int rank, long number) {}

    private final Queue<Waiter> waiting =
            new PriorityQueue<>(Comparator.comparingInt(Waiter::rank).thenComparingLong(Waiter::number));
    private int free;
    private long came;

    /** @param places that there are */
    Turns(int places) {
        this.free = places;
    }

    /**
     * Waits for a place and takes it.
     *
     * @param rank the smaller, the sooner
     */
    synchronized void take(int rank) throws InterruptedException {
        Waiter own = new Waiter(rank, came++);
        waiting.add(own);
        try {
            while (free == 0 || !own.equals(waiting.peek())) {
                wait();
            }
            free--;
        } finally {
            waiting.remove(own);
            notifyAll(); // the next one may find another place free
        }
    }

    synchronized void giveBack() {
        free++;
        notifyAll();
    }
}
