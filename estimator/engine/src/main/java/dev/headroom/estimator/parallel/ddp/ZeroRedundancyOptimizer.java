package dev.headroom.estimator.parallel.ddp;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.layout.GreedyPartition;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.parallel.DdpOptions;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Steps the parameters of one rank and takes the others' from their owners
 * (torch/distributed/optim/zero_redundancy_optimizer.py).
 */
final class ZeroRedundancyOptimizer implements Optimizer {
    private final Collectives collectives;
    private final List<List<Integer>> partition;
    private final List<Tensor> parameters;
    private final Optimizer own;
    private final boolean views;

    private ZeroRedundancyOptimizer(
            Collectives collectives,
            List<List<Integer>> partition,
            List<Tensor> parameters,
            Optimizer own,
            boolean views) {
        this.collectives = collectives;
        this.partition = partition;
        this.parameters = parameters;
        this.own = own;
        this.views = views;
    }

    /** @param make the optimizer of this rank's own parameters */
    static @Nullable Optimizer of(
            EagerRuntime runtime,
            Collectives collectives,
            DdpOptions options,
            List<Tensor> parameters,
            Function<List<Tensor>, @Nullable Optimizer> make) {
        List<List<Integer>> partition = GreedyPartition.of(
                parameters.stream().map(Tensor::numel).toList(),
                collectives.group().size());
        List<Tensor> dealt = partition.get(collectives.group().rank()).stream()
                .map(parameters::get)
                .toList();
        Optimizer own = make.apply(dealt);
        if (options.parametersAsBucketView()) {
            partition.forEach(of -> ParameterViews.flatten(
                    runtime, of.stream().map(parameters::get).toList()));
        }
        return own == null
                ? null
                : new ZeroRedundancyOptimizer(
                        collectives, partition, parameters, own, options.parametersAsBucketView());
    }

    @Override
    public void step() {
        own.step();
        for (int rank = 0; rank < partition.size(); rank++) {
            broadcast(rank, partition.get(rank).stream().map(parameters::get).toList());
        }
    }

    /** _sync_params. */
    private void broadcast(int rank, List<Tensor> owned) {
        if (views && !owned.isEmpty()) {
            long bytes = owned.stream().mapToLong(Tensor::nbytes).sum();
            collectives.run(CollectiveKind.BROADCAST, bytes, owned.get(0).dtype(), rank);
        } else {
            owned.forEach(p -> collectives.run(CollectiveKind.BROADCAST, p.nbytes(), p.dtype(), rank));
        }
    }

    @Override
    public List<Tensor> state(int parameter) {
        int at = partition.get(collectives.group().rank()).indexOf(parameter);
        return at < 0 ? List.of() : own.state(at);
    }
}
