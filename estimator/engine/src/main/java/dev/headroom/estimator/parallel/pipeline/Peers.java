package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.parallel.group.CollectiveRow;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a rank sends and receives (torch/distributed/pipelining/schedules.py, _batch_p2p). Operations of one kind go
 * over a communicator of the two ranks each; a mixed batch goes over the whole group's at once. What was sent lives as
 * long as somebody has the work of a single operation, and until somebody waits for it, or it is seen to be finished
 * and another operation follows (torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, pointToPoint and endCoalescing).
 */
final class Peers {
    /** An operation that is not asked for yet; holds its tensor. */
    record Op(boolean send, Tensor tensor, int peer) {}

    /** What was asked for. */
    static final class Work {
        /** Held as long as the work is. */
        private final List<Tensor> outputs = new ArrayList<>();

        /** Held until somebody waits. */
        private final List<Tensor> shelf = new ArrayList<>();
    }

    private static final int FIRST_STREAM = 32;

    private final EagerRuntime runtime;
    private final CollectiveLog log;
    private final int rank;
    private final int world;

    /** Whether the device keeps up, so that what was sent is finished after a pause. */
    private final boolean keepsUp;

    /** By peer, or -1 for all. */
    private final Map<Integer, Integer> communicators = new HashMap<>();

    private final List<Work> running = new ArrayList<>();
    private final List<Work> finished = new ArrayList<>();

    Peers(EagerRuntime runtime, CollectiveLog log, int rank, int world, boolean keepsUp) {
        this.runtime = runtime;
        this.log = log;
        this.rank = rank;
        this.world = world;
        this.keepsUp = keepsUp;
    }

    Op send(Tensor t, int peer) {
        return new Op(true, runtime.hold(t), peer);
    }

    Op receive(Tensor t, int peer) {
        return new Op(false, runtime.hold(t), peer);
    }

    /** The list of operations is bound anew. */
    void drop(List<Op> ops) {
        ops.forEach(op -> runtime.release(op.tensor));
    }

    /** A few numbers, which the host waits for. */
    void exchange(boolean send, long bytes, DType type, int peer) {
        releaseFinished();
        row(send, bytes, type, 2, communicator(peer), rank <= peer ? 1 : 0);
    }

    /** Asks for operations; the caller drops the list and the works. */
    List<Work> batch(List<Op> ops) {
        boolean mixed = ops.stream().anyMatch(Op::send) && !ops.stream().allMatch(Op::send);
        List<Work> works = new ArrayList<>();
        if (mixed) {
            Work work = new Work();
            for (Op op : ops) {
                releaseFinished();
                row(op.send, op.tensor.nbytes(), op.tensor.dtype(), world, communicator(-1), op.peer);
                work.shelf.add(runtime.hold(op.tensor));
                runtime.streams().recordUse(op.tensor, stream(communicator(-1)));
            }
            works.add(work);
        } else {
            for (Op op : ops) {
                releaseFinished();
                Work work = new Work();
                row(op.send, op.tensor.nbytes(), op.tensor.dtype(), 2, communicator(op.peer), rank <= op.peer ? 1 : 0);
                runtime.streams().recordUse(op.tensor, stream(communicator(op.peer)));
                work.outputs.add(runtime.hold(op.tensor));
                work.shelf.add(runtime.hold(op.tensor));
                works.add(work);
            }
        }
        running.addAll(works);
        return works;
    }

    private int communicator(int key) {
        return communicators.computeIfAbsent(key, k -> log.nextCommunicator());
    }

    /** NCCL's own stream of a communicator; nobody else's. */
    private static int stream(int communicator) {
        return FIRST_STREAM + communicator;
    }

    private void row(boolean send, long bytes, DType type, int size, int communicator, int peer) {
        CollectiveKind kind = send ? CollectiveKind.SEND : CollectiveKind.RECV;
        log.add(new CollectiveRow(
                kind, bytes, type, size, communicator, log.streamNumber(stream(communicator)), peer, 1));
    }

    /** {@code work.wait()}. */
    void waitFor(List<Work> works) {
        works.forEach(this::unstash);
        running.removeAll(works);
        finished.removeAll(works);
    }

    private void unstash(Work work) {
        work.shelf.forEach(runtime::release);
        work.shelf.clear();
    }

    /** The works are forgotten. */
    void forget(List<Work> works) {
        works.forEach(work -> work.outputs.forEach(runtime::release));
        works.forEach(work -> work.outputs.clear());
    }

    /** The host pauses. */
    void pause() {
        if (keepsUp) {
            finished.addAll(running);
            running.clear();
        }
    }

    /** Whether the device keeps up with the host. */
    boolean keepsUp() {
        return keepsUp;
    }

    private void releaseFinished() {
        finished.forEach(this::unstash);
        finished.clear();
    }
}
