package dev.headroom.executor.parallel.pipeline;

import dev.headroom.model.error.UserInputException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What each rank computes, in order, where stages go round the ranks several times (schedules.py). */
final class LoopedOrders {
    private final StageLayout layout;
    private final int microbatches;

    LoopedOrders(StageLayout layout, int microbatches) {
        this.layout = layout;
        this.microbatches = microbatches;
    }

    /** By rank. */
    List<List<Action>> all() {
        List<List<Action>> out = new ArrayList<>();
        for (int rank = 0; rank < layout.ranks(); rank++) {
            out.add(layout.schedule().equals(StageLayout.LOOPED_BFS) ? breadthFirst(rank) : interleaved(rank));
        }
        return out;
    }

    /** ScheduleLoopedBFS: a stage after the other, and back with the microbatches in reverse. */
    private List<Action> breadthFirst(int rank) {
        List<Action> out = new ArrayList<>();
        List<Integer> stages = layout.of(rank);
        for (int stage : stages) {
            for (int m = 0; m < microbatches; m++) {
                out.add(Action.forward(stage, m));
            }
        }
        for (int k = stages.size() - 1; k >= 0; k--) {
            for (int m = microbatches - 1; m >= 0; m--) {
                out.add(Action.backward(stages.get(k), m));
            }
        }
        return out;
    }

    /** ScheduleInterleaved1F1B: rounds of microbatches go through all of a rank's stages. */
    private List<Action> interleaved(int rank) {
        int rounds = Math.max(1, microbatches / layout.ranks());
        if (microbatches % rounds != 0) {
            throw new UserInputException("`microbatches=" + microbatches + "`: Interleaved1F1B takes a multiple of its "
                    + rounds + " rounds");
        }
        int perRound = microbatches / rounds;
        int all = layout.ofEach() * microbatches;
        int warmUp = Math.min((layout.ofEach() - 1) * perRound + 2 * (layout.ranks() - 1 - rank), all);
        Map<Integer, Integer> forward = new HashMap<>();
        Map<Integer, Integer> backward = new HashMap<>();
        List<Action> out = new ArrayList<>();
        for (int op = 0; op < all + warmUp; op++) {
            if (op < all) {
                int stage = op / perRound % layout.ofEach() * layout.ranks() + rank;
                out.add(Action.forward(stage, next(forward, stage)));
            }
            if (op >= warmUp) {
                int local = layout.ofEach() - 1 - (op - warmUp) / perRound % layout.ofEach();
                int stage = local * layout.ranks() + rank;
                out.add(Action.backward(stage, next(backward, stage)));
            }
        }
        return out;
    }

    private static int next(Map<Integer, Integer> of, int stage) {
        return of.merge(stage, 1, Integer::sum) - 1;
    }
}
