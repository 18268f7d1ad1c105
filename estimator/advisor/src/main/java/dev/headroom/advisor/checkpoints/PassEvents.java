package dev.headroom.advisor.checkpoints;

import dev.headroom.estimator.log.EventLog;
import dev.headroom.estimator.predict.Simulation;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import java.util.List;

/**
 * The events of the last forward and backward pass of a run, each with the stage that it belongs to: forward passes go
 * up through the stages, backward passes down.
 */
final class PassEvents {
    /** The granularity of blocks ({@code kMinBlockSize} in c10/cuda/CUDACachingAllocator.cpp). */
    private static final long GRANULE = 512;

    private final EventLog log;
    private final Stages stages;
    private final int[] stageOfAttribution;
    private final int[] at;

    /** First event of the forward pass. */
    final int first;

    /** First event of the backward pass. */
    final int turn;

    /** First event after it. */
    final int end;

    PassEvents(Simulation run, Stages stages) {
        this.log = run.log();
        this.stages = stages;
        List<PhaseMemory> phases = run.phases();
        int backward = last(phases, phases.size(), Phase.BACKWARD);
        int forward = last(phases, backward, Phase.FORWARD);
        this.first = run.history().start(forward);
        this.turn = run.history().start(backward);
        this.end = run.history().end(backward);
        this.stageOfAttribution = run.attributions().stream()
                .mapToInt(a -> stages.holding(a.module()))
                .toArray();
        this.at = new int[end - first];
        place();
    }

    private static int last(List<PhaseMemory> phases, int before, Phase phase) {
        int i = before - 1;
        while (phases.get(i).phase() != phase) {
            i--;
        }
        return i;
    }

    private void place() {
        int now = 0;
        for (int e = first; e < turn; e++) {
            now = move(now, e, 1);
            at[e - first] = now;
        }
        now = stages.size() - 1;
        for (int e = turn; e < end; e++) {
            now = move(now, e, -1);
            at[e - first] = now;
        }
    }

    /** What no module's operator allocates comes from the operators between two modules. */
    private int move(int now, int event, int direction) {
        int stage = stageOfAttribution[log.running(event)];
        if (stage >= 0) {
            return direction > 0 ? Math.max(now, stage) : Math.min(now, stage);
        }
        int next = now + direction;
        boolean inside = next >= 0 && next < stages.size();
        boolean enters = inside
                && !log.isFree(event)
                && stages.all().get(now).isModule()
                && !stages.all().get(next).isModule();
        return enters ? next : now;
    }

    /** The stage of an event of the pass. */
    int stage(int event) {
        return at[event - first];
    }

    /** Bytes of a storage as the allocator rounds them. */
    long bytes(int storage) {
        return (log.requested(storage) + GRANULE - 1) / GRANULE * GRANULE;
    }
}
