package dev.headroom.estimator.parallel.ddp;

import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.Collectives;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.DdpOptions;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One rank under DistributedDataParallel (torch/nn/parallel/distributed.py). */
public final class DistributedDataParallel implements LoopHook {
    private final Scenario run;
    private final DdpOptions options;
    private final Collectives collectives;
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private StateBroadcast state;
    private @Nullable Reducer reducer;

    /** Whether the pass that runs reduces its gradients ({@code require_backward_grad_sync}). */
    private boolean reduces = true;

    /** Whether the pass before did, so that ranks may differ ({@code require_forward_param_sync}). */
    private boolean reducedBefore = true;

    private int reducedPasses;

    public DistributedDataParallel(Scenario run, Collectives collectives) {
        this.run = run;
        this.options = run.parallel().ddp();
        this.collectives = collectives;
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        runtime = to.runtime();
        state = new StateBroadcast(runtime, collectives);
    }

    @Override
    public boolean wraps() {
        return true;
    }

    @Override
    public void begin(Moment phase) {
        if (phase.phase() == Phase.WRAP) {
            wrap();
        } else if (phase.phase() == Phase.FORWARD) {
            beforeForward(phase);
        }
    }

    private void wrap() {
        List<Tensor> trained =
                loop.model().parameters().stream().filter(Tensor::requiresGrad).toList();
        List<Tensor> all = new ArrayList<>(loop.model().parameters());
        all.addAll(loop.model().buffers());
        state.compareShapes(trained);
        state.send(all);
        reducer = new Reducer(runtime, loop.engine(), collectives, trained, options);
    }

    /** _pre_forward. */
    private void beforeForward(Moment pass) {
        boolean synchronised = !run.parallel().noSync() || run.loop().isLastPass(pass.micro());
        reduces = synchronised && !run.loop().inference(); // require_forward_param_sync: not without gradients
        reducer().rebuild();
        if (reducedBefore && !loop.model().buffers().isEmpty()) {
            state.send(loop.model().buffers());
        }
    }

    /** _post_forward. */
    @Override
    public Tensor[] outputs(Tensor[] made) {
        reducedBefore = reduces;
        boolean first = options.staticGraph() && reducedPasses == 0;
        if (reduces) {
            reducedPasses++;
            reducer().expect(first);
        }
        return first || options.findUnusedParameters() ? behindSink(made) : made;
    }

    /** All but what an object of keys and values holds, which tree_flatten does not look into. */
    private Tensor[] behindSink(Tensor[] made) {
        List<Graph.Output> outputs = loop.graph().outputs();
        int[] seen = IntStream.range(0, made.length)
                .filter(i -> !outputs.get(i).isCached())
                .toArray();
        Tensor[] behind = OutputSink.behind(
                runtime, Arrays.stream(seen).mapToObj(i -> made[i]).toArray(Tensor[]::new), reducer()::begin);
        Tensor[] out = made.clone();
        for (int i = 0; i < seen.length; i++) {
            out[seen[i]] = behind[i];
        }
        return out;
    }

    @Override
    public @Nullable Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        return options.zeroOptimizer()
                ? ZeroRedundancyOptimizer.of(runtime, collectives, options, parameters, own)
                : own.apply(parameters);
    }

    private Reducer reducer() {
        return Objects.requireNonNull(reducer, "the model is not wrapped yet");
    }
}
