package dev.headroom.advisor.variants;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Places go to who is wanted most. */
class TurnsTest {
    private final Turns turns = new Turns(1);
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());

    private Thread waiting(String name, int rank) throws InterruptedException {
        Thread thread = new Thread(() -> {
            try {
                turns.take(rank);
                order.add(name);
                turns.giveBack();
            } catch (InterruptedException e) {
                order.add(name + " gave up");
            }
        });
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        return thread;
    }

    @Test
    void theMostWantedComeFirstAndThenWhoCameFirst() throws InterruptedException {
        turns.take(0);
        List<Thread> all = List.of(waiting("later", 2), waiting("first", 1), waiting("second", 1), waiting("now", 0));
        turns.giveBack();
        for (Thread thread : all) {
            thread.join();
        }
        assertEquals(List.of("now", "first", "second", "later"), order);
    }

    @Test
    void whoGivesUpIsNotWaitedFor() throws InterruptedException {
        turns.take(0);
        Thread first = waiting("first", 0);
        Thread second = waiting("second", 1);
        first.interrupt();
        first.join();
        turns.giveBack();
        second.join();
        assertEquals(List.of("first gave up", "second"), order);
    }
}
