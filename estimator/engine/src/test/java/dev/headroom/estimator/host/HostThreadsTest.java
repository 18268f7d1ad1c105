package dev.headroom.estimator.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Handles as {@code DeviceThreadHandlePool} gives them out, counts and plans thread by thread. */
class HostThreadsTest {
    private final HostThreads threads = new HostThreads(2);

    @Test
    void aThreadKeepsItsHandleAndEachDeviceCountsApart() {
        assertEquals(0, threads.handle(0));
        assertEquals(0, threads.handle(1));
        assertEquals(0, threads.handle(0));
        HostThread main = threads.use(threads.backward(0));
        assertEquals(1, threads.handle(0), "the main thread has the first");
        assertSame(threads.backward(0), threads.use(main));
        assertEquals(0, threads.handle(0));
    }

    @Test
    void aThreadThatEndsLeavesItsHandlesToTheNext() {
        assertEquals(0, threads.handle(0));
        threads.run(() -> {
            assertEquals(1, threads.handle(0));
            threads.run(() -> assertEquals(2, threads.handle(0)));
            assertEquals(1, threads.handle(0));
        });
        // The pool is a stack: what was given back last is taken first.
        threads.run(() -> {
            assertEquals(1, threads.handle(0));
            threads.run(() -> assertEquals(2, threads.handle(0)));
            assertEquals(0, threads.handle(1), "nobody has taken one of the other device");
        });
        assertEquals(0, threads.handle(0));
    }

    @Test
    void aThreadThatTookNoHandleGivesNoneBack() {
        threads.run(() -> assertEquals(0, threads.handle(1)));
        assertEquals(0, threads.handle(0));
        HostThread main = threads.use(threads.backward(0));
        assertEquals(1, threads.handle(0));
        threads.use(main);
    }

    @Test
    void whatFailsInAThreadEndsItAllTheSame() {
        HostThread main = threads.current();
        assertThrows(
                IllegalStateException.class,
                () -> threads.run(() -> {
                    assertEquals(0, threads.handle(0));
                    throw new IllegalStateException();
                }));
        assertSame(main, threads.current());
        assertEquals(0, threads.handle(0));
    }

    @Test
    void eachThreadCountsItsOperatorsAndRemembersItsPlans() {
        HostThread main = threads.current();
        HostThread worker = threads.backward(1);
        assertFalse(main.isBackward());
        assertTrue(worker.isBackward());
        assertNotEquals(threads.backward(0), worker);
        assertEquals(0, main.nextSequence());
        assertEquals(1, main.nextSequence());
        assertEquals(0, worker.nextSequence());
        main.plans().remember("a problem", 4096);
        assertEquals(4096L, main.plans().find("a problem"));
        assertNull(main.plans().find("another"));
        assertNull(worker.plans().find("a problem"));
    }
}
