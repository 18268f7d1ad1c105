package dev.headroom.estimator.parallel.group;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.run.Moment;
import java.util.ArrayList;
import java.util.List;

/**
 * What one rank asks of its group. Asynchronous collectives that nobody waits for keep their tensors: NCCL's watchdog
 * sees that they are finished while the host pauses at the end of a phase, and the next collective of the group lets go
 * of them (torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, TensorShelf and unstash).
 */
public final class Collectives implements LoopHook {
    /** The stream of NCCL's own, on which asynchronous collectives run. */
    public static final int NCCL_STREAM = 1;

    private final ProcessGroup group;
    private final CollectiveLog log;
    private final List<Tensor> finished = new ArrayList<>();
    private final List<Tensor> stashed = new ArrayList<>();
    private EagerRuntime runtime;

    public Collectives(ProcessGroup group) {
        this(group, new CollectiveLog());
    }

    /** Notes in a log that others write too. */
    public Collectives(ProcessGroup group, CollectiveLog log) {
        this.group = group;
        this.log = log;
    }

    /** The same ranks over another communicator, noted in the same log; to be called once attached. */
    public Collectives beside(int communicator) {
        Collectives made = new Collectives(new ProcessGroup(group.size(), group.rank(), communicator), log);
        made.runtime = runtime;
        return made;
    }

    /** Those who take part. */
    public ProcessGroup group() {
        return group;
    }

    /** What was asked, by phase. */
    public CollectiveLog log() {
        return log;
    }

    @Override
    public void attach(TrainingLoop loop) {
        attach(loop.runtime());
    }

    /** The run is played on this. */
    public void attach(EagerRuntime of) {
        runtime = of;
    }

    /**
     * One collective among all ranks of the group.
     *
     * @param bytes as recordings count them, see {@link CollectiveRow}
     */
    public void run(CollectiveKind kind, long bytes, DType type) {
        run(kind, bytes, type, -1);
    }

    /** One collective with a root. */
    public void run(CollectiveKind kind, long bytes, DType type, int root) {
        run(kind, bytes, type, root, NCCL_STREAM);
    }

    /**
     * One collective with a root that the host waits for, on the current stream: it keeps nothing.
     *
     * @param root -1 for none
     */
    public void runHere(CollectiveKind kind, long bytes, DType type, int root) {
        run(kind, bytes, type, root, runtime.streams().current());
    }

    private void run(CollectiveKind kind, long bytes, DType type, int root, int stream) {
        finished.forEach(runtime::release);
        finished.clear();
        log.add(new CollectiveRow(
                kind, bytes, type, group.size(), group.communicator(), log.streamNumber(stream), root, 1));
    }

    /** Keeps a tensor of the collective that was asked for last, which nobody waits for. */
    public void stash(Tensor t) {
        stashed.add(runtime.hold(t));
    }

    /** Somebody waits for the collective that keeps a tensor after all. */
    public void unstash(Tensor t) {
        if (stashed.remove(t) || finished.remove(t)) {
            runtime.release(t);
        }
    }

    @Override
    public void end(Moment phase) {
        log.endPhase();
        endPause();
    }

    /** The host has paused long enough for NCCL's watchdog to see what is finished. */
    public void endPause() {
        finished.addAll(stashed);
        stashed.clear();
    }
}
