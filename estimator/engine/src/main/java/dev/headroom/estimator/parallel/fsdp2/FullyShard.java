package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.loop.GradientClipping;
import dev.headroom.estimator.loop.LoopHook;
import dev.headroom.estimator.loop.TrainingLoop;
import dev.headroom.estimator.optim.Optimizer;
import dev.headroom.estimator.parallel.group.CollectiveKind;
import dev.headroom.estimator.parallel.group.CollectiveLog;
import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.parallel.group.PartialNorms;
import dev.headroom.estimator.parallel.pipeline.StageModule;
import dev.headroom.estimator.parallel.unit.HostOptimizer;
import dev.headroom.estimator.program.UntiedParameters;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Frame;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.checkpoint.RepeatedBlocks;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.Shapes;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.ShardingOptions;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One rank under {@code fully_shard} (torch/distributed/fsdp/_fully_shard/_fully_shard.py). */
public final class FullyShard implements LoopHook {
    private static final String BATCH_NORM = "aten.batch_norm";

    private static final String CLIPS =
            "`clip_grad_norm` with `cpu_offload`: gradients are in host memory, where NCCL sums"
                    + " no norms; leave out one of them";

    private static final String TRAINER_CLIPS =
            "`cpu_offload` with `parallel=fsdp2` and a Trainer, which clips: norms that"
                    + " gloo sums in host memory are not modelled; take `parallel=fsdp1` or zero3";

    private final Scenario run;
    private final Parallelism parallel;
    private final ShardingOptions options;
    private final CollectiveLog log;
    private final Communicator shards;
    private final @Nullable Communicator replicas;
    private TrainingLoop loop;
    private EagerRuntime runtime;
    private @Nullable ShardedModel model;

    /**
     * A rank.
     *
     * @param shards ranks among which parameters are divided
     * @param replicas ranks that have the same shards; {@code null} for none
     */
    public FullyShard(Scenario run, CollectiveLog log, Communicator shards, @Nullable Communicator replicas) {
        this.run = run;
        this.parallel = run.parallel();
        this.options = parallel.sharding();
        this.log = log;
        this.shards = shards;
        this.replicas = replicas;
        check();
    }

    private void check() {
        if (parallel.cpuOffload() && run.loop().clipGradNorm() != null) {
            throw new UserInputException(run.trainer().loop().isTrainer() ? TRAINER_CLIPS : CLIPS);
        }
    }

    @Override
    public void attach(TrainingLoop to) {
        loop = to;
        runtime = to.runtime();
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
            model().shared().setReduces(!parallel.noSync() || run.loop().isLastPass(phase.micro()));
        }
    }

    /** A model that is built in host memory is turned around there, before it is divided. */
    private void checkLayout() {
        for (Tensor p : loop.model().parameters()) {
            boolean turned = run.kernels().turns(p.dim());
            if (turned && !Shapes.isContiguous(p.sizes(), Shapes.channelsLast(p.sizes()))) {
                throw new UserInputException("`parallel=fsdp2`: a parameter is not contiguous, which PyTorch refuses;"
                        + " leave out `channels_last`");
            }
        }
    }

    /** Gathered weights of a batch normalisation would have another type than its running statistics. */
    private void checkNorms() {
        if (options.paramDtype() == null || run.loop().inference()) {
            return;
        }
        for (Node node : loop.graph().nodes()) {
            Tensor mean = node.operator().equals(BATCH_NORM) ? runningMean(node) : null;
            if (mean != null && mean.dtype() != options.paramDtype()) {
                throw new UserInputException("`parallel=fsdp2` with `param_dtype`: '" + node.module()
                        + "' keeps running statistics in another type, which PyTorch's batch normalisation refuses;"
                        + " take `amp`, or `dtype` for all of the model");
            }
        }
    }

    private @Nullable Tensor runningMean(Node node) {
        String mean = node.tensor("running_mean");
        return mean == null ? null : loop.model().byValue().get(mean);
    }

    private void wrap() {
        checkLayout();
        checkNorms();
        boolean trainer = run.trainer().loop().isTrainer();
        // Quantised weights stay where they were loaded (fsdp2_prepare_model, model_has_params4bit).
        boolean loads =
                trainer && run.trainer().ramEfficientLoading() && !run.quant().any();
        boolean shared =
                parallel.kind() == ParallelKind.TP_FSDP2; // by modules, which have parameters of their own then
        model = new ShardedModel(
                loads ? parallel.withBuild(Parallelism.Build.META) : parallel,
                log,
                shards,
                replicas,
                new StageModule(
                        runtime,
                        loop.engine(),
                        shared ? UntiedParameters.apart(loop.graph()) : loop.graph(),
                        loop.model(),
                        loop.graph().held().modules(),
                        loop.prepared().symbols(),
                        0),
                loads);
        model().wrap(plan(trainer));
        if (loads) {
            model().load();
        }
    }

    private List<UnitPlan> plan(boolean trainer) {
        if (options.wrap() == ShardingOptions.Wrap.ROOT) {
            return List.of();
        }
        List<UnitPlan> named = UnitPlan.named(loop.graph(), options);
        if (trainer) {
            return AcceleratePlan.of(loop.graph(), run.adapters().any(), named);
        }
        return !named.isEmpty() ? named : UnitPlan.each(RepeatedBlocks.of(loop.graph()));
    }

    @Override
    public void clip(Runnable own) {
        if (parallel.kind() != ParallelKind.FSDP2) {
            own.run(); // who shares layers knows how gradients are divided
            return;
        }
        new GradientClipping(runtime, new PartialNorms(runtime, shards, Communication.NCCL))
                .clip(loop.model().parameters(), loop::clipped);
    }

    /** What one rank finds, all must know (torch/distributed/tensor/_ops/_pointwise_ops.py). */
    @Override
    public void lookedForInfinities(Tensor foundInf) {
        try (Frame frame = runtime.frame()) {
            Tensor copy = runtime.emptyLike(foundInf);
            shards.run(CollectiveKind.ALL_REDUCE, copy.nbytes(), copy.dtype(), Communication.NCCL);
        }
    }

    @Override
    public Optimizer optimizer(List<Tensor> parameters, Function<List<Tensor>, @Nullable Optimizer> own) {
        return parallel.cpuOffload() ? HostOptimizer.INSTANCE : own.apply(parameters);
    }

    private ShardedModel model() {
        return Objects.requireNonNull(model, "the model is not wrapped yet");
    }
}
