package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The optimizer of a model some of whose parameters are DTensors: it has two groups of parameters. */
public final class GroupedParameters implements LoopHook {
    private TrainingLoop loop;

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
    }

    /** One group of parameters cannot hold both DTensors and plain tensors. */
    @Override
    public @Nullable Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        return ParameterGroups.optimizer(parameters, own);
    }

    @Override
    public void zeroGrad(Runnable own) {
        if (!loop.prepared().scenario().loop().zeroGradKeep()) {
            ParameterGroups.ordered(loop.model().parameters())
                    .forEach(p -> loop.runtime().setGrad(p, null));
        }
        own.run();
    }
}
