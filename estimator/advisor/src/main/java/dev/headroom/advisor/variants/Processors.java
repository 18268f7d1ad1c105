package dev.headroom.advisor.variants;

import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;

/**
 * All processors, for what plays many runs. A thread that waits for another one does part of its work meanwhile, which
 * one that comes from outside of the pool cannot.
 */
public final class Processors {
    private Processors() {}

    /**
     * Has something done by threads of its own, one for each processor.
     *
     * @throws CancellationException when the caller is interrupted: then they end as well
     */
    public static <T> T all(Callable<T> work) {
        ForkJoinPool pool = new ForkJoinPool(Runtime.getRuntime().availableProcessors());
        try {
            return pool.submit(work).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("the advice is not wanted any more");
        } catch (ExecutionException e) {
            throw failure(e);
        } finally {
            pool.shutdownNow();
        }
    }

    /** What the work threw. */
    private static RuntimeException failure(ExecutionException e) {
        if (e.getCause() instanceof RuntimeException cause) {
            return cause;
        }
        if (e.getCause() instanceof Error cause) {
            throw cause;
        }
        return new IllegalStateException(e.getCause());
    }

    /** Has something done beside what the caller does; by another processor, if there is one. */
    public static <T> ForkJoinTask<T> aside(Callable<T> work) {
        return ForkJoinTask.adapt(work).fork();
    }
}
