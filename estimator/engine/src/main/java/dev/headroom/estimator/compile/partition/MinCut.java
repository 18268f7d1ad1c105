package dev.headroom.estimator.compile.partition;

import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jgrapht.alg.flow.DinicMFImpl;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.SimpleDirectedWeightedGraph;

/** The values that are kept: the cheapest cut between what cannot be computed again and what backward reads. */
final class MinCut {
    /** More than any sum of capacities, and still exact in a double where it matters. */
    private static final double INFINITE = 1e17;

    /** Values far from backward weigh more. */
    private static final double GROWTH = 1.1;

    private static final int FARTHEST = 100;

    private static final int UNREACHED = 1_000_000_000;

    private static final int SOURCE = -1;
    private static final int SINK = -2;

    private final Program program;
    private final Map<Value, List<Value>> users;

    /** From the sink to the source: of several cheapest cuts networkx takes the one nearest to the sink. */
    private final SimpleDirectedWeightedGraph<Integer, DefaultWeightedEdge> reversed =
            new SimpleDirectedWeightedGraph<>(DefaultWeightedEdge.class);

    /**
     * What was found.
     *
     * @param kept values to keep, in order
     * @param recomputable banned ones that backward needs
     */
    record Cut(List<Value> kept, List<Value> recomputable) {}

    private MinCut(Program program) {
        this.program = program;
        this.users = program.users();
    }

    /** @param free values that are not banned */
    static Cut of(Program program, Leniency leniency, Set<Value> free) {
        return new MinCut(program).solve(leniency, free);
    }

    private static int in(Value v) {
        return 2 * v.id();
    }

    private static int out(Value v) {
        return 2 * v.id() + 1;
    }

    private Cut solve(Leniency leniency, Set<Value> free) {
        Set<Value> after = program.afterTangents();
        Set<Value> returned = new HashSet<>();
        program.gradients().stream().filter(Objects::nonNull).forEach(returned::add);
        Checkpoints checkpoints = new Checkpoints(program, users);
        Set<Value> banned = Bans.of(program, users, leniency, free, checkpoints);
        Map<Value, Integer> distance = distances(after);
        reversed.addVertex(SOURCE);
        reversed.addVertex(SINK);
        for (Value v : program.nodes()) {
            if (after.contains(v)) {
                edge(in(v), SINK, INFINITE);
                continue;
            }
            if (returned.contains(v)) {
                edge(out(v), SINK, INFINITE);
            }
            if (checkpoints.recomputes(v)) {
                edge(in(v), SINK, INFINITE);
                continue;
            }
            if (banned.contains(v)) {
                edge(SOURCE, in(v), INFINITE);
            }
            edge(in(v), out(v), weight(v, Objects.requireNonNull(distance.get(v))));
            Objects.requireNonNull(users.get(v)).forEach(user -> edge(out(v), in(user), INFINITE));
        }
        DinicMFImpl<Integer, DefaultWeightedEdge> flow = new DinicMFImpl<>(reversed);
        flow.calculateMinCut(SINK, SOURCE);
        Set<Integer> behind = flow.getSourcePartition();
        List<Value> kept = program.nodes().stream()
                .filter(v -> !after.contains(v) && !behind.contains(in(v)) && behind.contains(out(v)))
                .toList();
        List<Value> recomputable = banned.stream()
                .filter(v -> Objects.requireNonNull(distance.get(v)) < UNREACHED)
                .toList();
        return new Cut(kept, recomputable);
    }

    private void edge(int from, int to, double capacity) {
        reversed.addVertex(from);
        reversed.addVertex(to);
        DefaultWeightedEdge edge = reversed.addEdge(to, from);
        if (edge != null) {
            reversed.setEdgeWeight(edge, capacity);
        }
    }

    private Map<Value, Integer> distances(Set<Value> after) {
        Set<Value> forward = Program.needed(program.results(), Set.of());
        Map<Value, Integer> out = new HashMap<>();
        for (int i = program.nodes().size() - 1; i >= 0; i--) {
            Value v = program.nodes().get(i);
            int nearest = UNREACHED;
            for (Value user : Objects.requireNonNull(users.get(v))) {
                nearest = Math.min(nearest, Objects.requireNonNull(out.get(user)) + 1);
            }
            boolean needed = forward.contains(v) || v.isPlaceholder() && !after.contains(v);
            out.put(v, needed ? nearest : 0);
        }
        return out;
    }

    private double weight(Value v, int distance) {
        if (v.kind() == Kind.PARAMETER) {
            return 0;
        }
        if (v.isTuple()) {
            return INFINITE;
        }
        double near = Math.pow(GROWTH, Math.max(Math.min(distance, FARTHEST), 1));
        double bytes = Math.floor(v.bytes() * near);
        boolean exists = v.isPlaceholder()
                || !Objects.requireNonNull(users.get(v)).stream().allMatch(u -> OperatorClasses.fuses(v, u));
        return exists ? bytes : 2 * bytes;
    }
}
