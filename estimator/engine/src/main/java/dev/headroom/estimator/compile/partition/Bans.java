package dev.headroom.estimator.compile.partition;

import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;

/** Which values must not be computed again ({@code should_ban_recomputation} and two heuristics of solve_min_cut). */
final class Bans {
    /** Longer chains of fusible operators are cut. */
    private static final int LONG_CHAIN = 100;

    /** An output so many times smaller than what it is computed from is kept. */
    private static final int SMALLER = 4;

    private final Program program;
    private final Map<Value, List<Value>> users;

    /** Nodes that forward's results need, with their order. */
    private final Map<Value, Integer> forward = new HashMap<>();

    /** In the order in which they were found. */
    private final Set<Value> banned = new LinkedHashSet<>();

    private final Leniency leniency;
    private final Set<Value> free;
    private final Checkpoints checkpoints;

    private Bans(
            Program program,
            Map<Value, List<Value>> users,
            Leniency leniency,
            Set<Value> free,
            Checkpoints checkpoints) {
        this.program = program;
        this.users = users;
        this.leniency = leniency;
        this.free = free;
        this.checkpoints = checkpoints;
        Set<Value> needed = Program.needed(program.results(), Set.of());
        for (Value v : program.nodes()) {
            if (needed.contains(v) || v.isPlaceholder() && v.kind() != Kind.TANGENT) {
                forward.put(v, forward.size());
            }
        }
    }

    /**
     * The banned values; views never are.
     *
     * @param free values that are not to be banned, for whatever reason
     * @param checkpoints what must be computed again is never banned
     */
    static Set<Value> of(
            Program program,
            Map<Value, List<Value>> users,
            Leniency leniency,
            Set<Value> free,
            Checkpoints checkpoints) {
        Bans bans = new Bans(program, users, leniency, free, checkpoints);
        bans.single();
        if (leniency == Leniency.NONE) {
            bans.usedFarApart();
            bans.longChains();
        }
        return bans.banned;
    }

    private void ban(Value v) {
        if (!OperatorClasses.isView(v) && !free.contains(v) && !checkpoints.recomputes(v)) {
            banned.add(v);
        }
    }

    private List<Value> users(Value v) {
        return Objects.requireNonNull(users.get(v));
    }

    private void single() {
        for (Value v : program.nodes()) {
            if (v.kind() == Kind.PARAMETER || v.kind() == Kind.INPUT) {
                ban(v);
            } else if (forward.containsKey(v) && v.kind() != Kind.ITEM) {
                long read = v.arguments().stream()
                        .distinct()
                        .mapToLong(Value::bytes)
                        .sum();
                boolean shrinks = v.bytes() * SMALLER < read;
                boolean costly = leniency == Leniency.INTENSIVE_ONLY
                        ? OperatorClasses.intensive(v)
                        : !OperatorClasses.recomputable(v);
                if (checkpoints.saves(v) || costly || shrinks || leniency == Leniency.NONE && materialised(v)) {
                    ban(v);
                }
            }
        }
    }

    /** Whether an operator of backward that cannot be fused reads it. */
    private boolean materialised(Value v) {
        if (OperatorClasses.isView(v)) {
            return false;
        }
        List<Value> open = new ArrayList<>(List.of(v));
        while (!open.isEmpty()) {
            Value current = open.remove(open.size() - 1);
            for (Value user : users(current)) {
                if (!forward.containsKey(user) && !OperatorClasses.fuses(current, user)) {
                    return true;
                }
                if (OperatorClasses.isView(user)) {
                    open.add(user);
                }
            }
        }
        return false;
    }

    private int order(Value v) {
        return Objects.requireNonNull(forward.get(v));
    }

    private List<Value> forwardUsers(Value v) {
        return users(v).stream().filter(forward::containsKey).toList();
    }

    private void usedFarApart() {
        List<Value> all = program.nodes().stream().filter(forward::containsKey).toList();
        for (Value used : all) {
            List<Value> readers = forwardUsers(used);
            if (readers.isEmpty()) {
                continue;
            }
            int last = readers.stream().mapToInt(this::order).max().orElseThrow();
            int first = firstUnfusible(readers, last);
            for (Value user : readers) {
                if (order(user) > first && OperatorClasses.fuses(used, user)) {
                    ban(user);
                }
            }
        }
    }

    private record Seen(Value node, boolean fuses) {}

    private int firstUnfusible(List<Value> start, int range) {
        PriorityQueue<Seen> open = new PriorityQueue<>(Comparator.comparingInt((Seen s) -> order(s.node())));
        Set<Seen> known = new HashSet<>();
        start.forEach(v -> open.add(new Seen(v, true)));
        while (!open.isEmpty()) {
            Seen next = open.poll();
            if (!next.fuses()) {
                return order(next.node());
            }
            for (Value user : forwardUsers(next.node())) {
                Seen seen = new Seen(user, OperatorClasses.fuses(next.node(), user));
                if (order(user) <= range && known.add(seen)) {
                    open.add(seen);
                }
            }
        }
        return range;
    }

    private void longChains() {
        Set<Value> visited = new HashSet<>();
        for (Value start : program.nodes()) {
            if (!forward.containsKey(start)) {
                continue;
            }
            PriorityQueue<Value> open = new PriorityQueue<>(Comparator.comparingInt(this::order));
            open.add(start);
            while (!open.isEmpty()) {
                Value current = open.poll();
                if (!visited.add(current)) {
                    continue;
                }
                if (order(current) > order(start) + LONG_CHAIN && open.isEmpty()) {
                    ban(current);
                    break;
                }
                for (Value user : forwardUsers(current)) {
                    if (OperatorClasses.fuses(current, user) && !banned.contains(user)) {
                        open.add(user);
                    }
                }
            }
        }
    }
}
