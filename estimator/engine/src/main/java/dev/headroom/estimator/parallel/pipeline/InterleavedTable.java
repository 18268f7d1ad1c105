package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.parallel.pipeline.Action.Kind;
import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * What a rank computes, in order, where stages go round the ranks several times
 * (torch/distributed/pipelining/schedules.py, _get_1f1b_rank_ops, ScheduleInterleaved1F1B,
 * ScheduleInterleavedZeroBubble and ScheduleLoopedBFS).
 */
final class InterleavedTable {
    private final StagePlan plan;
    private final int rank;
    private final int microbatches;
    private final int perRound;

    InterleavedTable(StagePlan plan, int rank, int microbatches) {
        this.plan = plan;
        this.rank = rank;
        this.microbatches = microbatches;
        int rounds = Math.max(1, microbatches / plan.world());
        this.perRound = microbatches / rounds;
    }

    private void checkRounds() {
        int rounds = Math.max(1, microbatches / plan.world());
        if (microbatches % rounds != 0) {
            throw new UserInputException("`microbatches=" + microbatches + "` is no multiple of the " + rounds
                    + " rounds that they go through " + plan.world() + " ranks in; change it");
        }
    }

    /** All microbatches of a stage before the next stage, forward and back. */
    List<Action> breadthFirst() {
        List<Action> out = new ArrayList<>();
        for (int k = 0; k < plan.perRank(); k++) {
            for (int m = 0; m < microbatches; m++) {
                out.add(Action.of(rank + k * plan.world(), Kind.FORWARD, m));
            }
        }
        for (int k = plan.perRank() - 1; k >= 0; k--) {
            for (int m = microbatches - 1; m >= 0; m--) {
                out.add(Action.of(rank + k * plan.world(), Kind.FULL_BACKWARD, m));
            }
        }
        return out;
    }

    List<Action> oneForwardOneBackward() {
        return alternating(2, false);
    }

    /** Gradients of weights wait until the pipeline would have nothing to do. */
    List<Action> zeroBubble() {
        return alternating(1, true);
    }

    private List<Action> alternating(int perHop, boolean zeroBubble) {
        checkRounds();
        int local = plan.perRank();
        int warmup = Math.min((local - 1) * perRound + perHop * (plan.world() - 1 - rank), microbatches * local);
        int all = local * microbatches;
        IntUnaryOperator forwardStage = step -> step / perRound % local * plan.world() + rank;
        IntUnaryOperator backwardStage = step -> (local - 1 - (step - warmup) / perRound % local) * plan.world() + rank;
        List<Action> out = new ArrayList<>();
        Counter forward = new Counter();
        Counter backward = new Counter();
        Counter weight = new Counter();
        List<Integer> waiting = new ArrayList<>();
        Kind kind = zeroBubble ? Kind.BACKWARD_INPUT : Kind.FULL_BACKWARD;
        for (int step = 0; step < warmup + all; step++) {
            if (step < all) {
                out.add(forward.next(forwardStage.applyAsInt(step), Kind.FORWARD));
            }
            if (step >= warmup) {
                int stage = backwardStage.applyAsInt(step);
                out.add(backward.next(stage, kind));
                waiting.add(stage);
                if (zeroBubble && step - warmup >= rank) {
                    out.add(weight.next(waiting.remove(0), Kind.BACKWARD_WEIGHT));
                }
            }
        }
        while (zeroBubble && !waiting.isEmpty()) {
            out.add(weight.next(waiting.remove(0), Kind.BACKWARD_WEIGHT));
        }
        return out;
    }

    /** Numbers the microbatches of each stage. */
    private static final class Counter {
        private final Map<Integer, Integer> next = new HashMap<>();

        Action next(int stage, Kind kind) {
            int microbatch = next.merge(stage, 1, Integer::sum) - 1;
            return Action.of(stage, kind, microbatch);
        }
    }
}
