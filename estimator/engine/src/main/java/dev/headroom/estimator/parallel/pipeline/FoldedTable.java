package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.parallel.pipeline.Action.Kind;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a rank computes, in order, where the second half of the stages goes back over the ranks, so that each has two
 * (torch/distributed/pipelining/schedules.py, ScheduleZBVZeroBubble and ScheduleDualPipeV).
 */
final class FoldedTable {
    private final int world;
    private final int rank;
    private final int microbatches;
    private final int down;
    private final int up;
    private final List<Action> out = new ArrayList<>();
    private final Map<Integer, Map<Kind, Integer>> counters = new HashMap<>();

    /** Stages and microbatches whose gradients of weights are to come. */
    private final Deque<Action> waiting = new ArrayDeque<>();

    FoldedTable(StagePlan plan, int rank, int microbatches) {
        this.world = plan.world();
        this.rank = rank;
        this.microbatches = microbatches;
        this.down = rank;
        this.up = 2 * world - 1 - rank;
    }

    private int count(int stage, Kind kind) {
        return own(stage).getOrDefault(kind, 0);
    }

    private Map<Kind, Integer> own(int stage) {
        return counters.computeIfAbsent(stage, s -> new EnumMap<>(Kind.class));
    }

    private int next(int stage, Kind kind) {
        return own(stage).merge(kind, 1, Integer::sum) - 1;
    }

    private void add(int stage, Kind kind) {
        out.add(Action.of(stage, kind, next(stage, kind)));
    }

    private void addBackward(int stage) {
        add(stage, Kind.BACKWARD_INPUT);
        add(stage, Kind.BACKWARD_WEIGHT);
    }

    /** ZBV: warm-up, stable phase and cool-down are counted for at least as many microbatches as fill the pipeline. */
    List<Action> zeroBubble() {
        int n = Math.max(2 * world - 1, microbatches);
        for (int k = 0; k < 2 * (world - rank) - 1; k++) {
            add(down, Kind.FORWARD);
        }
        for (int k = 0; k < rank; k++) {
            add(up, Kind.FORWARD);
            add(down, Kind.FORWARD);
        }
        for (int k = 0; k < world - rank; k++) {
            add(up, Kind.FORWARD);
            addBackward(up);
        }
        while (count(up, Kind.FORWARD) < count(down, Kind.FORWARD) || count(down, Kind.FORWARD) < n) {
            if (count(down, Kind.FORWARD) < n) {
                add(down, Kind.FORWARD);
            }
            addBackward(down);
            add(up, Kind.FORWARD);
            addBackward(up);
        }
        for (int k = 0; k < rank; k++) {
            add(down, Kind.BACKWARD_INPUT);
            add(up, Kind.BACKWARD_INPUT);
        }
        for (int k = 0; k < world - rank; k++) {
            addBackward(down);
        }
        while (count(up, Kind.BACKWARD_WEIGHT) < count(up, Kind.BACKWARD_INPUT)) {
            add(up, Kind.BACKWARD_WEIGHT);
        }
        while (count(down, Kind.BACKWARD_WEIGHT) < count(down, Kind.BACKWARD_INPUT)) {
            add(down, Kind.BACKWARD_WEIGHT);
        }
        out.removeIf(a -> a.microbatch() >= microbatches);
        return out;
    }

    private void addFull(int stage) {
        out.add(Action.of(stage, Kind.FULL_BACKWARD, nextBackward(stage)));
    }

    private int nextBackward(int stage) {
        next(stage, Kind.BACKWARD_WEIGHT);
        return next(stage, Kind.BACKWARD_INPUT);
    }

    private void addOverlap(int forward, int backward) {
        int m = next(forward, Kind.FORWARD);
        out.add(Action.overlap(
                Action.of(forward, Kind.FORWARD, m), Action.of(backward, Kind.FULL_BACKWARD, nextBackward(backward))));
    }

    private void addInput(int stage) {
        int m = next(stage, Kind.BACKWARD_INPUT);
        out.add(Action.of(stage, Kind.BACKWARD_INPUT, m));
        waiting.add(Action.of(stage, Kind.BACKWARD_WEIGHT, m));
    }

    private void addWaitingWeight() {
        if (!waiting.isEmpty()) {
            next(waiting.peek().stage(), Kind.BACKWARD_WEIGHT);
            out.add(waiting.poll());
        }
    }

    private void addBackward(int stage, boolean apart) {
        if (apart) {
            addInput(stage);
        } else {
            addFull(stage);
        }
    }

    /** DualPipeV: forward passes of one direction run beside backward passes of the other. */
    List<Action> dual() {
        if (microbatches < 2 * world) {
            throw new UserInputException("`microbatches=" + microbatches + "`: DualPipeV needs at least as many as the "
                    + 2 * world + " stages");
        }
        int behind = world - rank - 1;
        for (int k = 0; k < 2 * behind; k++) {
            add(down, Kind.FORWARD);
        }
        for (int k = 0; k <= rank; k++) {
            add(down, Kind.FORWARD);
            add(up, Kind.FORWARD);
        }
        for (int k = 0; k < behind; k++) {
            addInput(up);
            addWaitingWeight();
            add(up, Kind.FORWARD);
        }
        for (int k = 0; k < microbatches - 2 * world + rank + 1; k++) {
            if (k == 0 && rank == world - 1) {
                add(down, Kind.FORWARD);
                addFull(up);
            } else {
                addOverlap(down, up);
            }
            addOverlap(up, down);
        }
        for (int k = 0; k < behind; k++) {
            addFull(up);
            addOverlap(up, down);
        }
        boolean apart = false;
        for (int k = 0; k <= rank; k++) {
            apart |= k == (rank + 1) / 2 && rank % 2 == 1;
            addBackward(up, apart);
            apart |= k == (rank + 1) / 2 && rank % 2 == 0;
            addBackward(down, apart);
        }
        for (int k = 0; k < behind; k++) {
            addWaitingWeight();
            addBackward(down, apart);
        }
        for (int k = 0; k <= rank; k++) {
            addWaitingWeight();
        }
        return out;
    }
}
