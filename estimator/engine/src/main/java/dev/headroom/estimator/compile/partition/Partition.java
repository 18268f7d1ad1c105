package dev.headroom.estimator.compile.partition;

import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Forward and backward apart.
 *
 * @param placeholders arguments of forward
 * @param results of forward that the caller gets
 * @param kept what forward returns behind them, for backward
 * @param tangents gradients that backward is given
 * @param gradients of the arguments, {@code null} for none
 * @param forward calls in order
 * @param backward calls in order; what is computed again comes where it is first read
 */
public record Partition(
        List<Value> placeholders,
        List<Value> results,
        List<Value> kept,
        List<Value> tangents,
        List<@Nullable Value> gradients,
        List<Value> forward,
        List<Value> backward) {

    /**
     * Divides a joint graph.
     *
     * @param budget {@code activation_memory_budget}: the share of activations that may be kept, 1 for the fastest
     */
    public static Partition of(Program joint, double budget) {
        Program program = joint.simplified();
        Set<Value> kept = new LinkedHashSet<>(ActivationBudget.kept(program, budget));
        List<Value> wanted = program.gradients().stream()
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
        Set<Value> behind = Program.needed(wanted, kept);
        kept.retainAll(behind);
        Set<Value> before = Program.needed(program.results(), Set.of());
        before.addAll(Program.needed(kept, Set.of()));
        List<Value> forward = program.nodes().stream()
                .filter(v -> before.contains(v) && !v.isPlaceholder())
                .toList();
        List<Value> tangents =
                program.nodes().stream().filter(v -> v.kind() == Kind.TANGENT).toList();
        List<Value> placeholders = program.nodes().stream()
                .filter(v -> v.isPlaceholder() && v.kind() != Kind.TANGENT)
                .toList();
        return new Partition(
                placeholders,
                program.results(),
                List.copyOf(kept),
                tangents,
                program.gradients(),
                forward,
                lateRecomputation(program, behind, kept));
    }

    /** {@code reordering_to_mimic_autograd_engine}. */
    private static List<Value> lateRecomputation(Program program, Set<Value> behind, Set<Value> kept) {
        Set<Value> placed = new HashSet<>(kept);
        List<Value> out = new ArrayList<>();
        boolean begun = false;
        for (Value v : program.nodes()) {
            begun |= v.arguments().stream().anyMatch(a -> a.kind() == Kind.TANGENT);
            if (begun && behind.contains(v)) {
                place(v, placed, out);
            }
        }
        for (Value g : program.gradients()) {
            if (g != null) {
                place(g, placed, out);
            }
        }
        return out;
    }

    private static void place(Value v, Set<Value> placed, List<Value> out) {
        Set<Value> missing = new LinkedHashSet<>();
        List<Value> open = new ArrayList<>(List.of(v));
        while (!open.isEmpty()) {
            Value next = open.remove(open.size() - 1);
            if (!placed.contains(next) && !next.isPlaceholder() && missing.add(next)) {
                open.addAll(next.arguments());
            }
        }
        missing.stream().sorted(Comparator.comparingInt(Value::id)).forEach(m -> {
            placed.add(m);
            out.add(m);
        });
    }
}
