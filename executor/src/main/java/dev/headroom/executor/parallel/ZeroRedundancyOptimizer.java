package dev.headroom.executor.parallel;

import dev.headroom.executor.optim.Optimizer;
import dev.headroom.executor.tensor.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Each parameter is stepped by one rank, which then sends it to the others
 * (torch/distributed/optim/zero_redundancy_optimizer.py).
 */
final class ZeroRedundancyOptimizer implements Optimizer {
    private final Collectives collectives;
    private final List<List<Tensor>> dealt;
    private final List<Tensor> parameters;
    private final Optimizer own;

    private ZeroRedundancyOptimizer(
            Collectives collectives, List<Tensor> parameters, List<List<Tensor>> dealt, Optimizer own) {
        this.collectives = collectives;
        this.parameters = parameters;
        this.dealt = dealt;
        this.own = own;
    }

    /** @return {@code null} for a run without optimizer */
    static @Nullable Optimizer of(
            Collectives collectives, List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> make) {
        ProcessGroup group = collectives.group();
        List<List<Tensor>> dealt = deal(parameters, group.size());
        Optimizer own = make.apply(dealt.get(group.rank()));
        return own == null ? null : new ZeroRedundancyOptimizer(collectives, parameters, dealt, own);
    }

    /** _partition_parameters: the largest first, each to the rank that has least. */
    private static List<List<Tensor>> deal(List<Tensor> parameters, int ranks) {
        List<List<Tensor>> out = new ArrayList<>();
        for (int r = 0; r < ranks; r++) {
            out.add(new ArrayList<>());
        }
        long[] elements = new long[ranks];
        List<Tensor> largestFirst = new ArrayList<>(parameters);
        largestFirst.sort(Comparator.comparing(Tensor::elements).reversed());
        for (Tensor p : largestFirst) {
            int least = 0;
            for (int r = 1; r < ranks; r++) {
                least = elements[r] < elements[least] ? r : least;
            }
            out.get(least).add(p);
            elements[least] += p.elements();
        }
        return out;
    }

    @Override
    public List<Tensor> parameters() {
        return parameters; // a GradScaler looks at the gradients of all
    }

    @Override
    public void step() {
        own.step();
        for (int rank = 0; rank < dealt.size(); rank++) {
            for (Tensor p : dealt.get(rank)) {
                collectives.broadcast(p, rank);
            }
        }
    }

    @Override
    public void close() {
        own.close();
    }
}
