package dev.headroom.executor.parallel.pipeline;

import dev.headroom.executor.parallel.pipeline.Action.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts what is sent and received between what is computed (schedules.py, _add_unshard_reshard, _add_reduce_grad and
 * _add_send_recv): whoever makes something puts the receiving in its peer's list.
 */
final class Lowering {
    /** Stages that are gathered at a time. */
    private static final int ACTIVE = 3;

    private final StageLayout layout;
    private final int microbatches;

    Lowering(StageLayout layout, int microbatches) {
        this.layout = layout;
        this.microbatches = microbatches;
    }

    /** @param computed by rank */
    List<List<Action>> lowered(List<List<Action>> computed) {
        return exchanged(computed.stream().map(of -> reduced(gathered(of))).toList());
    }

    private static List<Action> gathered(List<Action> computed) {
        Set<Integer> active = new LinkedHashSet<>();
        List<Action> out = new ArrayList<>();
        for (int i = 0; i < computed.size(); i++) {
            Set<Integer> next = new LinkedHashSet<>();
            for (int k = i; k < computed.size() && next.size() < ACTIVE; k++) {
                next.add(computed.get(k).stage());
            }
            for (int stage : List.copyOf(active)) {
                if (!next.contains(stage)) {
                    active.remove(stage);
                    out.add(new Action(stage, Kind.RESHARD, -1));
                }
            }
            for (int stage : next) {
                if (active.add(stage)) {
                    out.add(new Action(stage, Kind.UNSHARD, -1));
                }
            }
            out.add(computed.get(i));
        }
        active.forEach(stage -> out.add(new Action(stage, Kind.RESHARD, -1)));
        return out;
    }

    private List<Action> reduced(List<Action> actions) {
        Map<Integer, Integer> done = new HashMap<>();
        List<Action> out = new ArrayList<>();
        for (Action a : actions) {
            out.add(a);
            if (a.kind() == Kind.BACKWARD && done.merge(a.stage(), 1, Integer::sum) == microbatches) {
                out.add(new Action(a.stage(), Kind.REDUCE, -1));
            }
        }
        return out;
    }

    private List<List<Action>> exchanged(List<List<Action>> actions) {
        List<List<Action>> out = new ArrayList<>();
        List<Set<Action>> before = new ArrayList<>();
        int[] at = new int[actions.size()];
        for (int rank = 0; rank < actions.size(); rank++) {
            out.add(new ArrayList<>());
            before.add(new HashSet<>());
        }
        boolean moves = true;
        while (moves) {
            moves = false;
            for (int rank = 0; rank < actions.size(); rank++) {
                if (at[rank] < actions.get(rank).size()
                        && isReady(actions.get(rank).get(at[rank]), before.get(rank))) {
                    Action a = actions.get(rank).get(at[rank]++);
                    add(a, rank, out, before);
                    exchange(a, rank, out, before);
                    moves = true;
                }
            }
        }
        return out;
    }

    private static void add(Action a, int rank, List<List<Action>> out, List<Set<Action>> before) {
        out.get(rank).add(a);
        before.get(rank).add(a);
    }

    private void exchange(Action a, int rank, List<List<Action>> out, List<Set<Action>> before) {
        boolean forward = a.kind() == Kind.FORWARD && a.stage() < layout.stages() - 1;
        boolean backward = a.kind() == Kind.BACKWARD && a.stage() > 0;
        int to = forward ? a.stage() + 1 : a.stage() - 1;
        if (!forward && !backward || layout.rankOf(to) == rank) {
            return;
        }
        Kind sends = forward ? Kind.SEND_FORWARD : Kind.SEND_BACKWARD;
        Kind receives = forward ? Kind.RECEIVE_FORWARD : Kind.RECEIVE_BACKWARD;
        add(new Action(a.stage(), sends, a.microbatch()), rank, out, before);
        add(new Action(to, receives, a.microbatch()), layout.rankOf(to), out, before);
    }

    private boolean isReady(Action a, Set<Action> before) {
        if (a.kind() == Kind.FORWARD && a.stage() > 0) {
            return before.contains(new Action(a.stage(), Kind.RECEIVE_FORWARD, a.microbatch()))
                    || before.contains(Action.forward(a.stage() - 1, a.microbatch()));
        }
        if (a.kind() == Kind.BACKWARD && a.stage() < layout.stages() - 1) {
            return before.contains(new Action(a.stage(), Kind.RECEIVE_BACKWARD, a.microbatch()))
                    || before.contains(Action.backward(a.stage() + 1, a.microbatch()));
        }
        return true;
    }
}
