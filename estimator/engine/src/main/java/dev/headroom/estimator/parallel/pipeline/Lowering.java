package dev.headroom.estimator.parallel.pipeline;

import dev.headroom.estimator.parallel.pipeline.Action.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Puts what ranks send and receive between what they compute; a receive stands where its sender was ready
 * (torch/distributed/pipelining/schedules.py, _add_unshard_reshard, _add_reduce_grad and _add_send_recv).
 */
final class Lowering {
    private static final int MOST_ACTIVE = 3;

    private final StagePlan plan;
    private final int microbatches;
    private final List<List<Action>> waiting = new ArrayList<>();
    private final List<List<Action>> out = new ArrayList<>();
    private final List<Set<Action>> done = new ArrayList<>();

    /** @param computed by rank */
    Lowering(StagePlan plan, int microbatches, List<List<Action>> computed) {
        this.plan = plan;
        this.microbatches = microbatches;
        for (List<Action> ofRank : computed) {
            waiting.add(reduced(sharded(ofRank)));
            out.add(new ArrayList<>());
            done.add(new HashSet<>());
        }
    }

    /** By rank. */
    List<List<Action>> lowered() {
        boolean left = true;
        while (left) {
            boolean progress = false;
            left = false;
            for (int rank = 0; rank < waiting.size(); rank++) {
                if (waiting.get(rank).isEmpty()) {
                    continue;
                }
                int of = rank;
                Action action = waiting.get(rank).get(0);
                if (action.parts().stream().allMatch(a -> isReady(a, done.get(of)))) {
                    waiting.get(rank).remove(0);
                    schedule(rank, action);
                    progress = true;
                }
                left |= !waiting.get(rank).isEmpty();
            }
            if (left && !progress) {
                throw new IllegalStateException("a schedule whose sends and receives wait for each other");
            }
        }
        return out;
    }

    private void schedule(int rank, Action action) {
        out.get(rank).add(action);
        for (Action a : action.parts()) {
            done.get(rank).add(a);
            int to = a.kind() == Kind.FORWARD ? a.stage() + 1 : a.stage() - 1;
            boolean sends = (a.kind() == Kind.FORWARD || a.isGradientOfInput())
                    && to >= 0
                    && to < plan.stages()
                    && plan.rankOf(to) != rank;
            if (sends) {
                boolean forward = a.kind() == Kind.FORWARD;
                Action send = Action.of(a.stage(), forward ? Kind.SEND_F : Kind.SEND_B, a.microbatch());
                Action receive = Action.of(to, forward ? Kind.RECV_F : Kind.RECV_B, a.microbatch());
                out.get(rank).add(send);
                done.get(rank).add(send);
                out.get(plan.rankOf(to)).add(receive);
                done.get(plan.rankOf(to)).add(receive);
            }
        }
    }

    private boolean isReady(Action a, Set<Action> before) {
        if (a.kind() == Kind.FORWARD && a.stage() != 0) {
            return before.contains(Action.of(a.stage(), Kind.RECV_F, a.microbatch()))
                    || before.contains(Action.of(a.stage() - 1, Kind.FORWARD, a.microbatch()));
        }
        if (a.isGradientOfInput() && a.stage() != plan.stages() - 1) {
            return before.contains(Action.of(a.stage(), Kind.RECV_B, a.microbatch()))
                    || before.contains(Action.of(a.stage() + 1, Kind.BACKWARD_INPUT, a.microbatch()))
                    || before.contains(Action.of(a.stage() + 1, Kind.FULL_BACKWARD, a.microbatch()));
        }
        return true;
    }

    /** Turns that FSDP would use take their time whether or not stages are sharded. */
    private static List<Action> sharded(List<Action> computed) {
        Set<Integer> active = new TreeSet<>();
        List<Action> out = new ArrayList<>();
        for (int i = 0; i < computed.size(); i++) {
            List<Integer> next = nextStages(computed.subList(i, computed.size()));
            List<Integer> fetched =
                    next.stream().filter(s -> !active.contains(s)).toList();
            List<Integer> dropped =
                    active.stream().filter(s -> !next.contains(s)).toList();
            dropped.forEach(s -> out.add(Action.of(s, Kind.RESHARD, -1)));
            dropped.forEach(active::remove);
            fetched.forEach(s -> out.add(Action.of(s, Kind.UNSHARD, -1)));
            active.addAll(fetched);
            out.add(computed.get(i));
        }
        active.forEach(s -> out.add(Action.of(s, Kind.RESHARD, -1)));
        return out;
    }

    private static List<Integer> nextStages(List<Action> actions) {
        Set<Integer> seen = new LinkedHashSet<>();
        for (Action a : actions) {
            a.parts().forEach(p -> seen.add(p.stage()));
            if (seen.size() >= MOST_ACTIVE) {
                break;
            }
        }
        return List.copyOf(seen);
    }

    private List<Action> reduced(List<Action> actions) {
        Map<Integer, Integer> count = new HashMap<>();
        List<Action> all = new ArrayList<>();
        for (Action a : actions) {
            all.add(a);
            for (Action p : a.parts()) {
                boolean last = (p.kind() == Kind.BACKWARD_WEIGHT || p.kind() == Kind.FULL_BACKWARD)
                        && count.merge(p.stage(), 1, Integer::sum) == microbatches;
                if (last) {
                    all.add(Action.of(p.stage(), Kind.REDUCE_GRAD, -1));
                }
            }
        }
        return all;
    }
}
