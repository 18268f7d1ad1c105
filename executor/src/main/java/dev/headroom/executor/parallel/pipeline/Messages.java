package dev.headroom.executor.parallel.pipeline;

import dev.headroom.executor.parallel.ProcessGroup;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a rank sends to others and receives (schedules.py, _batch_p2p). A work of a single operation keeps its tensor as
 * its output while somebody has the work, and on a shelf until somebody waits for it, or the watchdog has seen its end
 * and another operation is asked for; one of a mixed batch has the shelf alone (ProcessGroupNCCL.cpp, pointToPoint and
 * endCoalescing).
 */
final class Messages {
    /** Key of the communicator of all ranks; others are of two. */
    private static final int ALL = -1;

    /**
     * An operation that is not asked for yet; its list holds the tensor.
     *
     * @param kind what travels; messages of a kind arrive in order
     */
    record Op(boolean sends, Tensor tensor, int peer, String kind) {}

    /** An operation that was asked for. */
    static final class Work {
        private final List<Op> receives = new ArrayList<>();
        private final List<Tensor> outputs = new ArrayList<>();
        private final List<Tensor> shelf = new ArrayList<>();
    }

    private final Eager eager;
    private final ProcessGroup group;
    private final Map<Integer, Integer> streams = new HashMap<>();
    private final Set<Work> alive = new HashSet<>();
    private final List<Work> running = new ArrayList<>();
    private final List<Work> over = new ArrayList<>();

    Messages(Eager eager, ProcessGroup group) {
        this.eager = eager;
        this.group = group;
    }

    /** Asks for operations; the caller has the works. */
    List<Work> batch(List<Op> ops) {
        boolean sends = ops.stream().anyMatch(Op::sends);
        boolean mixed = sends && !ops.stream().allMatch(Op::sends);
        List<Work> works = new ArrayList<>();
        Work together = new Work();
        for (Op op : ops) {
            clearShelves();
            Work work = mixed ? together : new Work();
            int stream = streams.computeIfAbsent(mixed ? ALL : op.peer, k -> streams.size() + 1);
            eager.recordStream(op.tensor, stream);
            work.shelf.add(eager.hold(op.tensor));
            if (!mixed) {
                work.outputs.add(eager.hold(op.tensor));
            }
            if (op.sends) {
                double[] values = eager.backend().exchange().values(op.tensor);
                group.send(op.peer, op.kind, Optional.ofNullable(values));
            } else {
                work.receives.add(op);
            }
            if (!works.contains(work)) {
                works.add(work);
            }
        }
        running.addAll(works);
        alive.addAll(works);
        return works;
    }

    /** {@code work.wait()} of all; what was to come has come then. */
    void await(List<Work> works) {
        for (Work work : works) {
            for (Op op : work.receives) {
                receive(op);
            }
            work.receives.clear();
            clear(work.shelf);
        }
        running.removeAll(works);
        over.removeAll(works);
    }

    @SuppressWarnings("unchecked") // all ranks run the same program
    private void receive(Op op) {
        ((Optional<double[]>) group.receive(op.peer, op.kind))
                .ifPresent(values -> eager.backend().exchange().set(op.tensor, values));
    }

    /** Nobody has the works any more. */
    void forget(List<Work> works) {
        works.forEach(work -> clear(work.outputs));
        works.stream().filter(work -> work.shelf.isEmpty()).forEach(alive::remove);
    }

    private void clear(List<Tensor> held) {
        held.forEach(eager::release);
        held.clear();
    }

    /** The host rests, and the watchdog looks. */
    void rest() {
        over.addAll(running);
        running.clear();
    }

    private void clearShelves() {
        over.forEach(work -> clear(work.shelf));
        over.clear();
    }

    void close() {
        alive.forEach(work -> {
            clear(work.shelf);
            clear(work.outputs);
        });
        alive.clear();
        running.clear();
        over.clear();
    }
}
