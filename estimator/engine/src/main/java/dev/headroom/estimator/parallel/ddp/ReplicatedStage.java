package dev.headroom.estimator.parallel.ddp;

import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.parallel.pipeline.StageModule;
import dev.headroom.estimator.parallel.pipeline.StageRegime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.parallel.DdpOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A stage of a pipeline under DistributedDataParallel: forward passes are under {@code no_sync()}, and the reducer
 * hears of the last backward pass alone.
 */
public final class ReplicatedStage implements StageRegime {
    private final DdpOptions options;
    private final Collectives collectives;
    private final StageModule module;
    private final StateBroadcast state;
    private @Nullable Reducer reducer;
    private boolean called;

    public ReplicatedStage(DdpOptions options, Collectives collectives, StageModule module) {
        this.options = options;
        this.collectives = collectives;
        this.module = module;
        collectives.attach(module.runtime());
        this.state = new StateBroadcast(module.runtime(), collectives);
    }

    @Override
    public void wrap() {
        List<Tensor> trained = module.model().parameters().stream()
                .filter(Tensor::requiresGrad)
                .toList();
        List<Tensor> all = new ArrayList<>(module.model().parameters());
        all.addAll(module.model().buffers());
        state.compareShapes(trained);
        state.send(all);
        reducer = new Reducer(module.runtime(), module.engine(), collectives, trained, options);
    }

    /** Buffers are sent once: {@code no_sync()} says that ranks do not differ from then on. */
    @Override
    public void beforeForward() {
        reducer().rebuild();
        if (!called && !module.model().buffers().isEmpty()) {
            state.send(module.model().buffers());
        }
        called = true;
    }

    @Override
    public Tensor output(Tensor made) {
        return options.findUnusedParameters()
                ? OutputSink.behind(module.runtime(), new Tensor[] {made}, () -> {})[0]
                : made;
    }

    @Override
    public void pause() {
        collectives.endPause();
    }

    @Override
    public void beforeBackward(boolean last) {
        if (last) {
            reducer().expect(false);
        }
    }

    private Reducer reducer() {
        return Objects.requireNonNull(reducer, "the stage is not wrapped yet");
    }
}
