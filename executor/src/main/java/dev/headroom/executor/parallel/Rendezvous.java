package dev.headroom.executor.parallel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where ranks meet. Whoever runs holds the monitor, so that one rank runs at a time, and gives it up while it waits for
 * the others.
 */
final class Rendezvous {
    private final Object[] given;
    private List<Object> gathered = List.of();
    private int arrived;
    private long round;
    private boolean left;

    Rendezvous(int ranks) {
        given = new Object[ranks];
    }

    int ranks() {
        return given.length;
    }

    /**
     * Waits until every rank has given something.
     *
     * @param value may be {@code null}
     * @return what each of them gave, by rank
     * @throws RanksLeftException when a rank will not come
     */
    synchronized List<Object> exchange(int rank, Object value) {
        given[rank] = value;
        long mine = round;
        if (++arrived == given.length) {
            gathered = new ArrayList<>(Arrays.asList(given));
            arrived = 0;
            round++;
            notifyAll();
        }
        while (round == mine) {
            if (left) {
                throw new RanksLeftException();
            }
            await();
        }
        return gathered; // nobody completes another round before all have come back for it
    }

    @SuppressWarnings("WaitNotInLoop") // who calls it waits in a loop
    private void await() {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            left = true;
            notifyAll();
        }
    }

    /** A rank has ended. */
    synchronized void leave() {
        left = true;
        notifyAll();
    }
}
