package dev.headroom.estimator.parallel.zero.flat;

import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.zero.base.ZeroSettings;
import dev.headroom.estimator.parallel.zero.base.ZeroStage;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Stages 1 and 2 (deepspeed/runtime/zero/stage_1_and_2.py, DeepSpeedZeroOptimizer). */
public final class FlatStage implements ZeroStage {
    private final EagerRuntime runtime;
    private final Collectives collectives;
    private final ZeroSettings settings;
    private @Nullable GradientReducer reducer;

    public FlatStage(EagerRuntime runtime, Collectives collectives, ZeroSettings settings) {
        this.runtime = runtime;
        this.collectives = collectives;
        this.settings = settings;
    }

    @Override
    public Optimizer optimizer(List<List<Tensor>> groups, Function<List<Tensor>, @Nullable Optimizer> own) {
        List<Tensor> trained = groups.stream().flatMap(List::stream).toList();
        boolean onHost = settings.offload().optimizer();
        FlatGroups flat = new FlatGroups(groups.stream().map(this::flat).toList());
        List<Tensor> masters = new ArrayList<>();
        for (FlatGroup group : flat.all()) {
            runtime.allocator().emptyCache();
            group.flatten();
            masters.add(PartitionOptimizer.master(runtime, group, onHost));
        }
        KeptGradients kept = onHost ? new HostGradients(runtime, flat, trained) : new DeviceGradients(runtime, flat);
        reducer = new GradientReducer(runtime, collectives, settings, flat, trained, kept);
        return new PartitionOptimizer(runtime, collectives, settings, flat, kept, masters, own);
    }

    private FlatGroup flat(List<Tensor> parameters) {
        return new FlatGroup(
                runtime,
                parameters,
                collectives.group().size(),
                collectives.group().rank(),
                settings.reduction().roundRobin());
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
