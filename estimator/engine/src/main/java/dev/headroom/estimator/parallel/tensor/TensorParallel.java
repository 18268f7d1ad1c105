package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.loop.GradientClipping;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.pipeline.StageModule;
import dev.headroom.estimator.program.NodeHook;
import dev.headroom.estimator.program.UntiedParameters;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One rank of those that share layers: {@code parallelize_module} (torch/distributed/tensor/parallel/api.py). */
public final class TensorParallel implements LoopHook {
    private final Scenario run;
    private final Communicator communicator;
    private final @Nullable Communicator divides;
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private TensorRanks ranks;
    private @Nullable LayerSharing sharing;

    /**
     * A rank.
     *
     * @param communicator of the ranks that share layers
     * @param divides of the ranks among which {@code fully_shard} divides their parts; {@code null} where none does
     */
    public TensorParallel(Scenario run, Communicator communicator, @Nullable Communicator divides) {
        this.run = run;
        this.communicator = communicator;
        this.divides = divides;
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        runtime = to.runtime();
        ranks = new TensorRanks(runtime, communicator);
    }

    @Override
    public boolean wraps() {
        return true;
    }

    @Override
    public void begin(Moment phase) {
        if (phase.phase() == Phase.WRAP) {
            wrap();
        }
    }

    private void wrap() {
        Graph graph = loop.graph();
        if (divides != null) {
            loop.model().untie(graph.held());
            graph = UntiedParameters.apart(graph);
        }
        StageModule whole = new StageModule(
                runtime,
                loop.engine(),
                graph,
                loop.model(),
                loop.graph().held().modules(),
                loop.prepared().symbols(),
                0);
        sharing = new LayerSharing(
                run.parallel(),
                ranks,
                divides != null,
                SharingPlan.of(run.parallel().tensor(), whole.modules()),
                whole);
        sharing().wrap();
    }

    @Override
    public @Nullable NodeHook nodes() {
        return sharing == null ? null : sharing.nodes();
    }

    @Override
    public void clip(Runnable own) {
        if (!sharing().model().sharesAll()) {
            throw new UserInputException("`clip_grad_norm`: clip_grad_norm_ does not take DTensors and plain tensors"
                    + " together; share all modules with parameters, as with `sequence_parallel`, or leave it out");
        }
        List<Tensor> parameters = loop.model().parameters();
        GradientClipping.Parts norms = divides == null
                ? new SharedNorms(runtime, ranks, parameters)
                : new DividedNorms(runtime, List.of(divides, communicator), (int)
                        sharing().model().whole());
        new GradientClipping(runtime, norms).clip(parameters);
    }

    private LayerSharing sharing() {
        return Objects.requireNonNull(sharing, "the model is not wrapped yet");
    }
}
