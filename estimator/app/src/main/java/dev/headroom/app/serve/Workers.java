package dev.headroom.app.serve;

import dev.headroom.app.command.ErrorLine;
import dev.headroom.app.words.Door;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Computes answers on a few threads. A job that takes too long, or that takes most when Java's heap is nearly full, is
 * interrupted: the others go on.
 */
final class Workers implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(100);

    /** The share of the heap that may be in use after a collection. */
    private static final double FULL = 0.85;

    /** Beyond this, computing deep nesting would end in a StackOverflowError anyhow. */
    private static final long STACK = 16L << 20;

    private final ThreadPoolExecutor pool;
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(Workers::daemon);
    private final Set<Job> running = ConcurrentHashMap.newKeySet();
    /** The last job of each asker that has one waiting or running. */
    private final Map<String, Job> last = new ConcurrentHashMap<>();

    private final HeapUse heap = new HeapUse();
    private final Duration time;

    Workers(Limits limits) {
        time = limits.time();
        pool = new ThreadPoolExecutor(
                limits.workers(),
                limits.workers(),
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(limits.waiting()),
                work -> new Thread(null, work, "worker", STACK));
        var unused = watch.scheduleWithFixedDelay(this::look, LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "watch");
        thread.setDaemon(true);
        return thread;
    }

    /** Jobs that are waiting. */
    int waiting() {
        return pool.getQueue().size();
    }

    /** Jobs that are computed now. */
    int running() {
        return running.size();
    }

    /**
     * Computes an answer.
     *
     * @param begun of the request, as {@link System#nanoTime}
     * @param asker who waits for one answer alone, so that the job before is ended; or {@code null}
     * @return completes with the answer, or with {@link Refused}
     */
    CompletableFuture<byte[]> compute(long begun, @Nullable String asker, Supplier<byte[]> answer) {
        Job job = new Job(begun + time.toNanos(), answer);
        if (asker != null) {
            Job before = last.put(asker, job);
            if (before != null) {
                before.stop(new Refused(409, "another question took the place of this one"));
            }
            var unused = job.future.whenComplete((bytes, failure) -> last.remove(asker, job));
        }
        try {
            pool.execute(job);
        } catch (RejectedExecutionException e) {
            job.future.completeExceptionally(new Refused(429, "all workers are busy; ask again in a second"));
        }
        return job.future;
    }

    private void look() {
        long now = System.nanoTime();
        for (Job job : running) {
            if (now - job.end > 0) {
                job.stop(new Refused(408, "took longer than " + time.toSeconds() + " s; ask for less at once"));
            }
        }
        if (heap.share() > FULL) {
            Job most = null;
            for (Job job : running) {
                most = most == null || job.allocated() > most.allocated() ? job : most;
            }
            if (most != null) {
                most.stop(new Refused(
                        413,
                        "takes more memory than this service has for it; ask for fewer steps, or"
                                + " give the service more with HEADROOM_JAVA_OPTS=-Xmx8g"));
                heap.forget();
            }
        }
    }

    @Override
    public void close() {
        watch.shutdownNow();
        pool.shutdownNow();
    }

    private final class Job implements Runnable {
        private final CompletableFuture<byte[]> future = new CompletableFuture<>();
        private final long end;
        private final Supplier<byte[]> answer;
        private @Nullable Thread thread;
        private @Nullable Refused stopped;
        private long before;

        Job(long end, Supplier<byte[]> answer) {
            this.end = end;
            this.answer = answer;
        }

        @Override
        public void run() {
            if (!begin()) {
                return;
            }
            try {
                if (System.nanoTime() - end > 0) {
                    throw new Refused(408, "waited longer than " + time.toSeconds() + " s for a worker; ask again");
                }
                byte[] bytes = answer.get();
                finish();
                future.complete(bytes);
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError | LinkageError e) {
                Refused why = finish();
                future.completeExceptionally(why != null ? why : refusal(e));
            } finally {
                finish();
            }
        }

        /** Nothing is to be done where it was stopped while it waited. */
        private synchronized boolean begin() {
            if (stopped != null) {
                return false;
            }
            thread = Thread.currentThread();
            before = HeapUse.allocated(thread);
            running.add(this);
            return true;
        }

        /** From here on nobody interrupts the thread. */
        private synchronized @Nullable Refused finish() {
            running.remove(this);
            thread = null;
            Thread.interrupted();
            return stopped;
        }

        synchronized void stop(Refused why) {
            if (stopped == null && !future.isDone()) {
                stopped = why;
                future.completeExceptionally(why); // who asked need not wait for the thread to notice
            }
            if (thread != null) {
                thread.interrupt();
            }
        }

        synchronized long allocated() {
            return thread == null ? 0 : HeapUse.allocated(thread) - before;
        }
    }

    private static Refused refusal(Throwable e) {
        if (e instanceof Refused refused) {
            return refused;
        }
        if (e instanceof OutOfMemoryError) {
            return new Refused(413, "takes more memory than this service has for it; ask for fewer steps");
        }
        if (e instanceof StackOverflowError) {
            return new Refused(400, "the model is nested too deeply");
        }
        if (e instanceof CancellationException) {
            return new Refused(503, "the service is being stopped");
        }
        return new Refused(ErrorLine.isBadInput(e) ? 400 : 500, ErrorLine.reason(e, Door.SERVICE));
    }
}
