package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.log.Category;
import dev.headroom.estimator.op.core.Copies;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.zero.base.DeviceMath;
import dev.headroom.estimator.parallel.zero.base.StepScale;
import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.DType;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Steps the own partition in float32 and gathers all partitions (deepspeed/runtime/zero/stage_1_and_2.py,
 * DeepSpeedZeroOptimizer.step).
 */
final class PartitionOptimizer implements Optimizer {
    private final EagerRuntime runtime;
    private final Collectives collectives;
    private final FlatGroup group;
    private final KeptGradients gradients;
    private final StepNorms norms;
    private final StepScale scale;
    private final @Nullable Tensor master;
    private final @Nullable Optimizer own;
    private final DeviceMath math;

    PartitionOptimizer(
            EagerRuntime runtime,
            Collectives collectives,
            ZeroSettings settings,
            FlatGroup group,
            KeptGradients gradients,
            @Nullable Tensor master,
            Function<List<Tensor>, @Nullable Optimizer> make) {
        this.runtime = runtime;
        this.collectives = collectives;
        this.group = group;
        this.gradients = gradients;
        this.norms = new StepNorms(runtime, collectives, settings);
        this.scale = new StepScale(runtime, settings.clips());
        this.master = master;
        this.math = new DeviceMath(runtime);
        if (settings.offload().optimizer()) {
            this.own = null;
            return;
        }
        try (Frame frame = runtime.frame()) {
            runtime.empty(DType.FLOAT32, group.partition()); // a first gradient (initialize_optimizer_states)
            this.own = make.apply(List.of(Objects.requireNonNull(master)));
        }
    }

    /** The master weights of the own partition; {@code null} where they are in the host's memory. */
    static @Nullable Tensor master(EagerRuntime runtime, FlatGroup group, boolean onHost) {
        try (Frame frame = runtime.frame()) {
            Tensor copy = Copies.clone(runtime, group.ownPart());
            if (onHost) {
                return null;
            }
            Tensor made = runtime.hold(Copies.to(runtime, copy, DType.FLOAT32));
            runtime.setCategory(made, Category.OPTIMIZER_STATE);
            return made;
        }
    }

    @Override
    public void step() {
        try (Frame frame = runtime.frame()) {
            norms.checkOverflow(gradients.averaged());
            Tensor norm = norms.global(gradients.averaged(), group.own().size());
            if (master != null) {
                scale.keep(Objects.requireNonNull(norm));
                stepPartition(master, norm);
            }
            gradients.release();
            if (collectives.group().size() > 1) {
                collectives.runHere(
                        CollectiveKind.ALL_GATHER,
                        group.partition() * group.type().bytes(),
                        group.type(),
                        -1);
            }
        }
        scale.stepped();
    }

    private void stepPartition(Tensor weights, @Nullable Tensor norm) {
        try (Frame frame = runtime.frame()) {
            Tensor flat = math.flatten(gradients.averaged());
            Tensor gradient = Copies.to(runtime, flat, DType.FLOAT32);
            runtime.setCategory(gradient, Category.GRADIENTS);
            runtime.setGrad(weights, gradient);
            runtime.freeUnless(flat, gradient);
            runtime.free(gradient);
        }
        gradients.release();
        scale.apply(norm);
        if (own != null) {
            own.step();
        }
        runtime.setGrad(weights, null);
    }

    @Override
    public List<Tensor> state(int parameter) {
        return List.of();
    }
}
