package dev.headroom.estimator.predict;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Does the same with several things at once, on a few threads: what is played takes memory. */
final class SideBySide {
    private static final int MOST = 4;

    private SideBySide() {}

    /** Returns when all is done; the first failure, in the order of the things, is thrown. */
    static <T> void each(List<T> things, Consumer<T> work) {
        int threads = Math.min(Math.min(MOST, Runtime.getRuntime().availableProcessors()), things.size());
        if (threads < 2) {
            things.forEach(work);
            return;
        }
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            things.forEach(thing -> all.add(pool.submit(() -> work.accept(thing))));
            for (Future<?> one : all) {
                finish(one);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static void finish(Future<?> one) {
        try {
            one.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while ranks were played", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
