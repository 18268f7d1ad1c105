package dev.headroom.estimator.compile.partition;

import dev.headroom.estimator.compile.trace.Kind;
import dev.headroom.estimator.compile.trace.Value;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What is kept under {@code torch._functorch.config.activation_memory_budget}: a share of what would be kept at best
 * speed, beyond the arguments (torch/_functorch/partitioners.py, choose_saved_values_set). Bans are lifted step by
 * step; what is over then is computed again where that costs the fewest operations.
 */
final class ActivationBudget {
    private final Program program;
    private final double budget;
    private final List<Value> arguments;

    private ActivationBudget(Program program, double budget) {
        this.program = program;
        this.budget = budget;
        this.arguments = program.nodes().stream()
                .filter(v -> v.isPlaceholder() && v.kind() != Kind.TANGENT)
                .toList();
    }

    /** @param budget from 0, only arguments, to 1, whatever is fastest */
    static List<Value> kept(Program program, double budget) {
        return new ActivationBudget(program, budget).kept();
    }

    private static double bytes(List<Value> values) {
        return values.stream().mapToLong(Value::bytes).sum();
    }

    private List<Value> kept() {
        if (budget == 0) {
            return arguments;
        }
        List<Value> fastest = MinCut.of(program, Leniency.NONE, Set.of()).kept();
        double least = bytes(arguments);
        double span = bytes(fastest) - least;
        if (budget == 1 || span <= 0) {
            return fastest;
        }
        List<Value> more = MinCut.of(program, Leniency.NO_HEURISTICS, Set.of()).kept();
        if ((bytes(more) - least) / span < budget) {
            return more;
        }
        MinCut.Cut all = MinCut.of(program, Leniency.INTENSIVE_ONLY, Set.of());
        List<Value> candidates = all.recomputable().stream()
                .filter(v -> !v.isPlaceholder())
                .sorted(Comparator.comparingLong(Value::bytes).reversed())
                .toList();
        if ((bytes(all.kept()) - least) / span < budget || candidates.isEmpty()) {
            return all.kept();
        }
        double[] sizes = candidates.stream().mapToDouble(v -> v.bytes() / span).toArray();
        long[] operations = candidates.stream().mapToLong(Operations::of).toArray();
        boolean[] saved = Knapsack.chosen(sizes, operations, budget);
        Set<Value> again = new HashSet<>();
        for (int i = 0; i < saved.length; i++) {
            if (!saved[i]) {
                again.add(candidates.get(i));
            }
        }
        return MinCut.of(program, Leniency.INTENSIVE_ONLY, again).kept();
    }
}
