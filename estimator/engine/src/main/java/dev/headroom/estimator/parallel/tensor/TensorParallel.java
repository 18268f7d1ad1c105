package dev.headroom.estimator.parallel.tensor;

import dev.headroom.estimator.loop.GradientClipping;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.program.NodeHook;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.TensorOptions;
import dev.headroom.model.plan.PlannedModule;
import dev.headroom.model.plan.TensorPlan;
import dev.headroom.model.plan.UsualPlans;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.function.Function;

/** One rank of those that share layers: {@code parallelize_module} (torch/distributed/tensor/parallel/api.py). */
public final class TensorParallel implements LoopHook {
    private final Scenario run;
    private final Communicator communicator;
    private final Communicator divides;
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private TensorRanks ranks;
    private NodeHook nodes;
    private SharedModel model;

    /**
     * A rank.
     *
     * @param communicator of the ranks that share layers
     * @param divides of the ranks among which {@code fully_shard} divides their parts; {@code null} where none does
     */
    public TensorParallel(Scenario run, Communicator communicator, Communicator divides) {
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
        boolean onDevice = run.parallel().build() == Parallelism.Build.CUDA;
        TiedParameters ties = new TiedParameters(loop.graph());
        if (divides != null && ties.any()) {
            throw new UserInputException(
                    "--parallel tp+fsdp2: tied parameters are modelled for a model that is built on the"
                            + " meta device; add --build meta");
        }
        model = new SharedModel(runtime, loop.model(), loop.graph(), ties, ranks, onDevice);
        Conversions conversions = new Conversions(runtime, ranks);
        for (PlannedModule planned : plan()) {
            ModuleContent content = ModuleContent.of(loop.graph(), planned.path());
            content.check(planned.path(), planned.style());
            model.share(planned, content);
            runtime.modules()
                    .add(planned.path(), new StyledModule(planned.path(), planned.style(), content, conversions));
        }
        model.finish(divides != null);
        nodes = new SharedOperators(runtime, ranks, ties, new LocalSizes(loop.symbols(), ranks.size()));
    }

    private List<PlannedModule> plan() {
        TensorOptions options = run.parallel().tensor();
        List<String> modules = loop.graph().held().modules();
        TensorPlan plan = options.plan() != null
                ? options.plan()
                : UsualPlans.of(modules, options.sequenceParallel(), options.lossParallel());
        return plan.of(modules);
    }

    @Override
    public NodeHook nodes() {
        return nodes;
    }

    /** One group of parameters cannot hold both DTensors and plain tensors. */
    @Override
    public Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, Optimizer> own) {
        return ParameterGroups.optimizer(parameters, own);
    }

    @Override
    public void clip(Runnable own) {
        if (!model.sharesAll()) {
            throw new UserInputException("--clip-grad-norm: clip_grad_norm_ does not take DTensors and plain tensors"
                    + " together; share all modules with parameters, as with --sequence-parallel, or leave it out");
        }
        List<Tensor> parameters = loop.model().parameters();
        GradientClipping.Parts norms = divides == null
                ? new SharedNorms(runtime, ranks, parameters)
                : new DividedNorms(runtime, List.of(divides, communicator), (int) model.whole());
        new GradientClipping(runtime, norms).clip(parameters);
    }

    @Override
    public void zeroGrad(Runnable own) {
        if (!run.loop().zeroGradKeep()) {
            ParameterGroups.ordered(loop.model().parameters()).forEach(p -> runtime.setGrad(p, null));
        }
        own.run();
    }
}
