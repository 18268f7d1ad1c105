package dev.headroom.advisor.variants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is done by all processors comes back to who asked for it. */
class ProcessorsTest {
    @Test
    void resultsComeBack() {
        int sum = Processors.all(processors -> {
            var other = processors.aside(() -> 40);
            return 2 + Processors.join(other);
        });
        assertEquals(42, sum);
    }

    @Test
    void failuresComeBackAsTheyAre() {
        UserInputException wrong = new UserInputException("`batch`: too large");
        UserInputException thrown = assertThrows(
                UserInputException.class,
                () -> Processors.all(processors -> {
                    throw wrong;
                }));
        assertSame(wrong, thrown);
        assertThrows(
                StackOverflowError.class,
                () -> Processors.all(processors -> {
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
                Processors.all(processors -> {
                    begun.countDown();
                    try {
                        return new CountDownLatch(1).await(1, TimeUnit.MINUTES);
                    } catch (InterruptedException e) {
                        return false;
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

    @Test
    void everyResultIsInItsPlace() {
        List<Integer> numbers = IntStream.range(0, 100).boxed().toList();
        assertEquals(numbers, Processors.all(processors -> processors.map(numbers, n -> n)));
        assertEquals(List.of(), Processors.HERE.map(List.of(), n -> n));
        assertEquals(
                List.of(2, 4), Processors.all(processors -> processors.filter(List.of(1, 2, 3, 4), n -> n % 2 == 0)));
    }

    @Test
    void whereOneFailsTheRestIsLeft() {
        List<Integer> numbers = IntStream.range(0, 1000).boxed().toList();
        AtomicInteger done = new AtomicInteger();
        assertThrows(
                UserInputException.class,
                () -> Processors.HERE.map(numbers, n -> {
                    if (n == 3) {
                        throw new UserInputException("three");
                    }
                    return done.incrementAndGet();
                }));
        assertEquals(3, done.get());
    }

    /** The first in the order of the list, not of time. */
    @Test
    void theFirstThatHoldsIsFound() {
        Optional<Integer> first = Processors.all(processors -> processors.first(List.of(1, 2, 3, 4), n -> {
            sleep(n == 2 ? 50 : 0);
            return n % 2 == 0;
        }));
        assertEquals(Optional.of(2), first);
        assertEquals(Optional.empty(), Processors.HERE.first(List.of(1, 3), n -> n % 2 == 0));
    }

    @Test
    void nothingBehindWhatIsEnoughIsLookedAt() {
        List<Integer> told = new ArrayList<>();
        List<Integer> numbers = IntStream.range(0, 1000).boxed().toList();
        AtomicInteger begun = new AtomicInteger();
        Processors.all(processors -> {
            processors.ahead(
                    numbers,
                    n -> {
                        begun.incrementAndGet();
                        return n;
                    },
                    n -> {
                        told.add(n);
                        return n < 5;
                    });
            return null;
        });
        assertEquals(List.of(0, 1, 2, 3, 4, 5), told);
        assertTrue(begun.get() < 1000, "begun: " + begun);
    }

    /** Searches inside of searches wait for each other, and yet no more is done at once than there are processors. */
    @Test
    void noMoreAreBusyThanThereAreProcessors() {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Integer> numbers = IntStream.range(0, 5).boxed().toList();
        List<List<Integer>> all = Processors.all(processors -> processors.map(
                numbers,
                n -> processors.map(
                        numbers,
                        m -> processors.busy(() -> {
                            most.accumulateAndGet(now.incrementAndGet(), Math::max);
                            sleep(2);
                            now.decrementAndGet();
                            return n * m;
                        }))));
        assertEquals(List.of(0, 4, 8, 12, 16), all.get(4));
        assertTrue(most.get() <= Runtime.getRuntime().availableProcessors(), "at once: " + most);
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
