package dev.headroom.advisor.variants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What is done by all processors comes back to who asked for it. */
class ProcessorsTest {
    @Test
    void resultsComeBack() {
        int sum = Processors.all(() -> {
            var other = Processors.aside(() -> 40);
            return 2 + other.join();
        });
        assertEquals(42, sum);
    }

    @Test
    void failuresComeBackAsTheyAre() {
        UserInputException wrong = new UserInputException("`batch`: too large");
        UserInputException thrown = assertThrows(
                UserInputException.class,
                () -> Processors.all(() -> {
                    throw wrong;
                }));
        assertSame(wrong, thrown);
        assertThrows(
                StackOverflowError.class,
                () -> Processors.all(() -> {
                    throw new StackOverflowError();
                }));
    }

    /** A service interrupts who waits for an answer that nobody wants any more. */
    @Test
    void workEndsWithWhoWaitsForIt() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller = new Thread(() -> {
            try {
                Processors.all(() -> {
                    begun.countDown();
                    try {
                        return new CountDownLatch(1).await(1, TimeUnit.MINUTES);
                    } finally {
                        ended.countDown();
                    }
                });
            } catch (CancellationException e) {
                thrown.set(e);
            }
        });
        caller.start();
        assertTrue(begun.await(1, TimeUnit.MINUTES));
        caller.interrupt();
        caller.join();
        assertInstanceOf(CancellationException.class, thrown.get());
        assertTrue(ended.await(30, TimeUnit.SECONDS));
    }
}
