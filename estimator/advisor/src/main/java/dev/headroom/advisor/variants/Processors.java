package dev.headroom.advisor.variants;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The processors of the machine, for searches that play many runs. Who plays takes one, and who waits for what others
 * play takes none: as many runs are played at once as there are processors, however many searches wait inside of
 * others. Threads may share it.
 */
public final class Processors {
    /** The caller's thread alone, and whichever others somebody starts. */
    public static final Processors HERE = new Processors(Runnable::run, 1, Integer.MAX_VALUE);

    /** Bytes: models are nested, and so is what looks through them. */
    private static final long STACK = 16L << 20;

    /** For each processor, so much is begun that may turn out to be needless. */
    private static final int AHEAD = 2;

    /** Behind all that is begun ahead. */
    private static final int LATER = 1000;

    private final Executor threads;
    private final int atOnce;
    private final Turns turns;

    /** How little what the thread does is wanted: 0, or more where it may turn out to be needless. */
    private final ThreadLocal<Integer> rank = ThreadLocal.withInitial(() -> 0);

    private Processors(Executor threads, int atOnce, int free) {
        this.threads = threads;
        this.atOnce = atOnce;
        this.turns = new Turns(free);
    }

    /**
     * Has something done with all processors, by threads of its own.
     *
     * @throws CancellationException when the caller is interrupted: then they end as well
     */
    public static <T> T all(Function<Processors, T> work) {
        ExecutorService threads = Executors.newCachedThreadPool(Processors::thread);
        int number = Runtime.getRuntime().availableProcessors();
        try {
            return join(threads.submit(() -> work.apply(new Processors(threads, number, number))));
        } finally {
            threads.shutdownNow();
        }
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(null, work, "headroom-search", STACK);
        thread.setDaemon(true);
        return thread;
    }

    /** What comes of work that was begun, or what it threw. */
    public static <T> T join(Future<T> begun) {
        try {
            return begun.get();
        } catch (InterruptedException e) {
            throw interrupted();
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    private static CancellationException interrupted() {
        Thread.currentThread().interrupt();
        return new CancellationException("the answer is not wanted any more");
    }

    private static RuntimeException failure(ExecutionException e) {
        if (e.getCause() instanceof RuntimeException cause) {
            return cause;
        }
        if (e.getCause() instanceof Error cause) {
            throw cause;
        }
        return new IllegalStateException(e.getCause());
    }

    /** Does something that keeps a processor busy and waits for nobody, as soon as one is free. */
    public <T> T busy(Supplier<T> work) {
        try {
            turns.take(rank.get());
        } catch (InterruptedException e) {
            throw interrupted();
        }
        try {
            return work.get();
        } finally {
            turns.giveBack();
        }
    }

    /** Has something done beside what the caller does. */
    public <T> Future<T> aside(Callable<T> work) {
        return aside(work, rank.get());
    }

    /** Has something done by processors that have nothing else to do. */
    public <T> Future<T> later(Callable<T> work) {
        return aside(work, LATER);
    }

    /**
     * The same, but before what else is to be done later.
     *
     * @param wanted the more, the sooner
     */
    public <T> Future<T> later(int wanted, Callable<T> work) {
        return aside(work, LATER - 1 - wanted);
    }

    private <T> Future<T> aside(Callable<T> work, int wanted) {
        FutureTask<T> task = new FutureTask<>(() -> {
            int before = rank.get();
            rank.set(wanted);
            try {
                return work.call();
            } finally {
                rank.set(before);
            }
        });
        threads.execute(task);
        return task;
    }

    /** Does the same with each, several at once. */
    public <A, B> List<B> map(List<A> all, Function<A, B> work) {
        AtomicReferenceArray<B> done = new AtomicReferenceArray<>(all.size());
        AtomicInteger next = new AtomicInteger();
        Callable<Boolean> some = () -> {
            try {
                for (int i = next.getAndIncrement(); i < all.size(); i = next.getAndIncrement()) {
                    done.set(i, work.apply(all.get(i)));
                }
                return true;
            } finally {
                next.set(all.size()); // where one fails or is given up, nobody wants the rest
            }
        };
        List<Future<Boolean>> begun = new ArrayList<>();
        for (int i = 0; i < Math.min(atOnce, all.size()); i++) {
            begun.add(aside(some));
        }
        try {
            begun.forEach(Processors::join);
        } finally {
            begun.forEach(task -> task.cancel(true));
        }
        return IntStream.range(0, all.size()).mapToObj(done::get).toList();
    }

    /** Those for which a test holds, which is made of several at once. */
    public <A> List<A> filter(List<A> all, Predicate<A> test) {
        List<Boolean> holds = map(all, test::test);
        return IntStream.range(0, all.size())
                .filter(holds::get)
                .mapToObj(all::get)
                .toList();
    }

    /** The first for which a test holds, which is made of several at once. */
    public <A> Optional<A> first(List<A> all, Predicate<A> test) {
        List<A> first = new ArrayList<>();
        Function<A, Optional<A>> held = one -> test.test(one) ? Optional.of(one) : Optional.empty();
        ahead(all, held, one -> {
            one.ifPresent(first::add);
            return one.isEmpty();
        });
        return first.stream().findFirst();
    }

    /**
     * Does the same with one after the other until what came of them is enough. Processors that have nothing else to do
     * begin with those behind, which may turn out to be needless.
     *
     * @param wanted told what came of each, in order; whether more is wanted
     */
    public <A, B> void ahead(List<A> all, Function<A, B> work, Predicate<B> wanted) {
        List<Future<B>> begun = new ArrayList<>();
        boolean more = true;
        try {
            for (int i = 0; i < all.size() && more; i++) {
                while (begun.size() < Math.min(i + AHEAD * atOnce, all.size())) {
                    A one = all.get(begun.size());
                    begun.add(aside(() -> work.apply(one), rank.get() + begun.size()));
                }
                more = wanted.test(join(begun.get(i)));
            }
        } finally {
            begun.forEach(task -> task.cancel(true));
        }
    }
}
