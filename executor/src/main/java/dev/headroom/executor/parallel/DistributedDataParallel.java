package dev.headroom.executor.parallel;

import dev.headroom.executor.autograd.BackwardPass;
import dev.headroom.executor.optim.Optimizer;
import dev.headroom.executor.program.ModelMemory;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.tensor.Tensor;
import dev.headroom.executor.train.Wrapper;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.DdpOptions;
import dev.headroom.model.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A rank with the whole model, whose gradients are averaged with the others' (torch/nn/parallel/distributed.py). */
public final class DistributedDataParallel implements Wrapper {
    private final Eager eager;
    private final Scenario run;
    private final DdpOptions options;
    private final Collectives collectives;
    private final StateSync state;
    private ModelMemory model;
    private BackwardPass backwardPass;
    private Reducer reducer;

    /** require_backward_grad_sync. */
    private boolean reduces = true;

    /** require_forward_param_sync: ranks' buffers may differ. */
    private boolean syncsBuffers = true;

    /** _static_graph_delay_allreduce_enqueued. */
    private boolean delayEnqueued;

    public DistributedDataParallel(Eager eager, Scenario run, ProcessGroup group) {
        this.eager = eager;
        this.run = run;
        this.options = run.parallel().ddp();
        this.collectives = new Collectives(group, eager);
        this.state = new StateSync(eager, collectives);
    }

    @Override
    public void wrap(ModelMemory of, BackwardPass passes) {
        model = of;
        backwardPass = passes;
        List<Tensor> trained =
                model.trained().stream().filter(Tensor::requiresGrad).toList();
        if (trained.isEmpty()) {
            throw new UserInputException("`parallel=ddp`: no parameter of the model requires a gradient,"
                    + " and PyTorch refuses to wrap it");
        }
        List<Tensor> all = new ArrayList<>(model.trained());
        all.addAll(model.buffers());
        state.verify(trained);
        state.broadcast(all);
        reducer = new Reducer(eager, backwardPass, collectives, trained, options);
    }

    @Override
    public @Nullable Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        return options.zeroOptimizer()
                ? ZeroRedundancyOptimizer.of(collectives, parameters, own)
                : own.apply(parameters);
    }

    @Override
    public void beforeForward(boolean last) {
        reduces = last || !run.parallel().noSync();
        reducer.rebuild();
        if (syncsBuffers && !model.buffers().isEmpty()) {
            state.broadcast(model.buffers());
        }
    }

    @Override
    public @Nullable Tensor[] afterForward(@Nullable Tensor[] made) {
        syncsBuffers = reduces;
        if (reduces) {
            reducer.expect(made);
        }
        boolean sinks = options.findUnusedParameters() || options.staticGraph() && !delayEnqueued;
        return sinks ? OutputSink.behind(eager, made, this::enqueueDelayed) : made;
    }

    private void enqueueDelayed() {
        if (options.staticGraph() && !delayEnqueued) {
            delayEnqueued = true;
            backwardPass.atEnd(reducer::reduceDelayed);
        }
    }

    @Override
    public void rest() {
        collectives.rest();
    }

    @Override
    public void close() {
        collectives.close();
        if (reducer != null) {
            reducer.close();
        }
    }
}
