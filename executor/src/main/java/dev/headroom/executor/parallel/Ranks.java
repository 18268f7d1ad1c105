package dev.headroom.executor.parallel;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs a program once for each rank, in turns: a rank runs until it waits for the others. */
public final class Ranks {
    private Ranks() {}

    /**
     * Runs the program on so many ranks, each in a thread of its own, and waits for them.
     *
     * @param program of a rank
     * @return its results by rank
     * @throws RuntimeException what the first rank that failed threw
     */
    public static <T> List<T> run(int ranks, Function<ProcessGroup, T> program) {
        World place = new World();
        List<Member<T>> members = new ArrayList<>();
        for (int r = 0; r < ranks; r++) {
            members.add(new Member<>(place, ProcessGroup.all(place, ranks, r), program));
        }
        List<Thread> threads = members.stream()
                .map(m -> new Thread(m, "rank " + m.group.rank()))
                .toList();
        threads.forEach(Thread::start);
        threads.forEach(Ranks::join);
        RuntimeException failure = null;
        for (Member<T> m : members) {
            if (m.failure != null && (failure == null || failure instanceof RanksLeftException)) {
                failure = m.failure; // who waited in vain is not the cause
            }
        }
        if (failure != null) {
            throw failure;
        }
        return members.stream().map(Member::result).toList();
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
                thread.interrupt();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Member<T> implements Runnable {
        private final World place;
        private final ProcessGroup group;
        private final Function<ProcessGroup, T> program;
        private @Nullable T result;
        private @Nullable RuntimeException failure;

        private Member(World place, ProcessGroup group, Function<ProcessGroup, T> program) {
            this.place = place;
            this.group = group;
            this.program = program;
        }

        private T result() {
            return Objects.requireNonNull(result, "a result");
        }

        @Override
        public void run() {
            synchronized (place) {
                try {
                    result = program.apply(group);
                } catch (RuntimeException e) {
                    failure = e;
                } catch (Error e) {
                    failure = new IllegalStateException("rank " + group.rank() + " failed: " + e, e);
                } finally {
                    place.leave(group.rank());
                }
            }
        }
    }
}
