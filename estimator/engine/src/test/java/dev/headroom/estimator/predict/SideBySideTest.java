package dev.headroom.estimator.predict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Work on several threads ends as if it were done in a row. */
class SideBySideTest {
    @Test
    void allIsDoneWhenItReturns() {
        for (List<Integer> things : List.of(List.<Integer>of(), List.of(1), List.of(1, 2, 3, 4, 5, 6, 7))) {
            Set<Integer> done = ConcurrentHashMap.newKeySet();
            SideBySide.each(things, done::add);
            assertEquals(Set.copyOf(things), done);
        }
    }

    @Test
    void theFirstFailureIsThrownAsItIs() {
        IllegalArgumentException of2 = new IllegalArgumentException("2");
        AssertionError of3 = new AssertionError("3");
        assertSame(
                of2,
                assertThrows(
                        IllegalArgumentException.class,
                        () -> SideBySide.each(List.of(1, 2, 3), i -> {
                            if (i == 2) {
                                throw of2;
                            }
                            if (i == 3) {
                                throw of3;
                            }
                        })));
        assertSame(
                of3,
                assertThrows(
                        AssertionError.class,
                        () -> SideBySide.each(List.of(1, 3), i -> {
                            if (i == 3) {
                                throw of3;
                            }
                        })));
    }

    /** Whoever waits and is interrupted says so, and stays interrupted. */
    @Test
    void interruptionEndsTheWaiting() {
        CountDownLatch never = new CountDownLatch(1);
        Thread.currentThread().interrupt();
        try {
            RuntimeException e = assertThrows(
                    RuntimeException.class,
                    () -> SideBySide.each(List.of(1, 2), i -> {
                        try {
                            never.await(); // work that has ended would not be waited for
                        } catch (InterruptedException caught) {
                            throw new IllegalStateException("interrupted", caught);
                        }
                    }));
            assertTrue(e.getMessage().contains("interrupted"), e.getMessage());
        } finally {
            Thread.interrupted();
        }
    }
}
