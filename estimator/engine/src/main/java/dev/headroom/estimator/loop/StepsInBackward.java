package dev.headroom.estimator.loop;

import dev.headroom.estimator.op.core.Pointwise;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.optim.Optimizers;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * LOMO and AdaLomo (lomo_optim 0.1.1): a hook of each parameter's gradient steps what has one by then, and the last is
 * stepped when the backward pass is through ({@code fused_backward}). AdaLomo scales the loss.
 */
final class StepsInBackward implements LoopHook {
    private final Scenario run;
    private TrainingLoop loop;
    private @Nullable Optimizer optimizer;

    StepsInBackward(Scenario run) {
        this.run = run;
    }

    /** Whether a run's optimizer is one of these. */
    static boolean takes(Scenario run) {
        return run.optimizer().kind() == OptimizerKind.LOMO || run.optimizer().kind() == OptimizerKind.ADALOMO;
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
    }

    @Override
    public Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        Optimizer made = Objects.requireNonNull(Optimizers.of(run, loop.runtime(), parameters));
        optimizer = made;
        for (Tensor p : parameters) {
            if (p.requiresGrad()) {
                loop.runtime().tape().addHook(p, gradient -> {
                    made.step();
                    return gradient;
                });
            }
        }
        return made;
    }

    @Override
    public Tensor root(Tensor loss) {
        return run.optimizer().kind() == OptimizerKind.ADALOMO
                ? Pointwise.mul(loop.runtime(), loss, loop.runtime().wrappedNumber(DType.INT64))
                : loss;
    }

    @Override
    public void backward(Runnable own) {
        own.run();
        Objects.requireNonNull(optimizer, "an optimizer").step();
    }
}
