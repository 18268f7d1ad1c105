package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.parallel.zero.base.ZeroStage;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Stages 1 and 2 (deepspeed/runtime/zero/stage_1_and_2.py, DeepSpeedZeroOptimizer). */
public final class FlatStage implements ZeroStage {
    private final EagerRuntime runtime;
    private final Collectives collectives;
    private final ZeroSettings settings;
    private final List<Tensor> trained;
    private @Nullable GradientReducer reducer;

    public FlatStage(EagerRuntime runtime, Collectives collectives, ZeroSettings settings, List<Tensor> trained) {
        this.runtime = runtime;
        this.collectives = collectives;
        this.settings = settings;
        this.trained = trained;
    }

    @Override
    public Optimizer optimizer(Function<List<Tensor>, @Nullable Optimizer> own) {
        FlatGroup group = new FlatGroup(
                runtime,
                trained,
                collectives.group().size(),
                collectives.group().rank(),
                settings.reduction().roundRobin());
        runtime.allocator().emptyCache();
        group.flatten();
        boolean onHost = settings.offload().optimizer();
        Tensor master = PartitionOptimizer.master(runtime, group, onHost);
        KeptGradients kept = onHost ? new HostGradients(runtime, group, trained) : new DeviceGradients(runtime, group);
        reducer = new GradientReducer(runtime, collectives, settings, group, trained, kept);
        return new PartitionOptimizer(runtime, collectives, settings, group, kept, master, own);
    }

    @Override
    public void beginBackward(int pass, boolean lastPass) {
        reducer().begin(lastPass);
    }

    @Override
    public void endBackward() {
        reducer().finish();
    }

    private GradientReducer reducer() {
        return Objects.requireNonNull(reducer, "there is no optimizer yet");
    }
}
