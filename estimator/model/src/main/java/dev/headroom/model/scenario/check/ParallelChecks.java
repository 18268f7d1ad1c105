package dev.headroom.model.scenario.check;

import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.parallel.PipelineOptions;
import dev.headroom.model.parallel.ShardingOptions;
import dev.headroom.model.scenario.OptimizerChoice;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What cannot be meant about several GPUs, each in one line. */
public final class ParallelChecks {
    /** Optimizers whose steps on DTensors are modelled. */
    private static final Set<OptimizerKind> OF_TENSORS = EnumSet.of(
            OptimizerKind.NONE,
            OptimizerKind.SGD,
            OptimizerKind.SGD_MOMENTUM,
            OptimizerKind.ADAM,
            OptimizerKind.ADAMW,
            OptimizerKind.RMSPROP,
            OptimizerKind.ADAGRAD);

    private final Scenario run;
    private final Parallelism parallel;

    private ParallelChecks(Scenario run) {
        this.run = run;
        this.parallel = run.parallel();
    }

    /**
     * Checks what a scenario says about several GPUs.
     *
     * @throws UserInputException for options that contradict each other
     */
    public static void check(Scenario run) {
        ParallelChecks checks = new ParallelChecks(run);
        checks.ranks();
        checks.mesh();
        checks.options();
        checks.sharding();
        checks.oneProcess();
        checks.pipeline();
        checks.batch();
        checks.tensor();
    }

    private void ranks() {
        ParallelKind kind = parallel.kind();
        if (kind == ParallelKind.SINGLE && parallel.world() > 1) {
            throw new UserInputException(
                    "`world=" + parallel.world() + "` needs `parallel`: how are the ranks to share" + " the work?");
        }
        if (parallel.rank() != null && kind.isOneProcess()) {
            throw refused("`rank`", "it is one process; its devices are told one by one");
        }
        if (parallel.rank() != null && parallel.rank() >= parallel.world()) {
            throw new UserInputException("`rank=" + parallel.rank() + "`: the ranks of `world=" + parallel.world()
                    + "` are 0 to " + (parallel.world() - 1));
        }
    }

    private void mesh() {
        List<Integer> mesh = parallel.mesh();
        int ranks = mesh.stream().reduce(1, (a, b) -> a * b);
        if (!mesh.isEmpty() && ranks != parallel.world()) {
            throw new UserInputException("`mesh="
                    + String.join("x", mesh.stream().map(Object::toString).toList())
                    + "` has " + ranks + " ranks, not the " + parallel.world() + " of `world`");
        }
        Integer degree = parallel.tensor().degree();
        if (degree != null && parallel.world() % degree != 0) {
            throw new UserInputException(
                    "`tp=" + degree + "` does not divide the " + parallel.world() + " ranks of `world`");
        }
    }

    private void options() {
        ParallelKind kind = parallel.kind();
        Parallelism none = Parallelism.DEFAULTS;
        belongs(Objects.equals(parallel.ddp(), none.ddp()) || kind.isReplicated(), "options of ddp");
        belongs(
                Objects.equals(parallel.sharding(), none.sharding()) || kind.isFullySharded(),
                "options of fsdp1 and fsdp2");
        belongs(
                Objects.equals(parallel.zero(), none.zero()) || kind.isDeepSpeed(),
                "options of zero1, zero2 and zero3");
        belongs(!parallel.zero().paramOffload() || kind == ParallelKind.ZERO3, "`param_offload`, an option of zero3,");
        belongs(Objects.equals(parallel.tensor(), none.tensor()) || kind.isTensor(), "options of tp");
        belongs(
                Objects.equals(parallel.pipeline(), none.pipeline()) || kind.isPipeline() || kind == ParallelKind.MP,
                "options of pp and mp");
        belongs(parallel.mesh().isEmpty() || kind.isFullySharded() || kind.isPipelineInGrid(), "`mesh`");
        belongs(!parallel.cpuOffload() || kind.isFullySharded() || kind.isDeepSpeed(), "`cpu_offload`");
        belongs(parallel.build() == Parallelism.Build.CUDA || !kind.isOneProcess(), "`build`");
        belongs(
                parallel.build() != Parallelism.Build.ZERO_INIT || kind == ParallelKind.ZERO3,
                "`build=zero-init`, a way to make a model for zero3,");
        belongs(
                !parallel.noSync() || (kind == ParallelKind.DDP || kind.isFullySharded()) && !kind.isPipeline(),
                "`no_sync`, an option of ddp, fsdp1 and fsdp2,");
        if (parallel.ddp().staticGraph() && parallel.ddp().findUnusedParameters()) {
            throw new UserInputException(
                    "`static_graph` finds unused parameters by itself: leave out" + " `find_unused_parameters`");
        }
        if (parallel.ddp().staticGraph() && parallel.noSync() && run.loop().accumulate() > 1) {
            throw new UserInputException(
                    "`static_graph` with `no_sync`: PyTorch fails in the first backward pass, which"
                            + " is to be reduced (expect_autograd_hooks_); leave out one of them");
        }
        boolean checkpoints = run.checkpointing().segments() > 0
                || !run.checkpointing().modules().isEmpty();
        if (parallel.ddp().findUnusedParameters()
                && checkpoints
                && Boolean.TRUE.equals(run.checkpointing().reentrant())) {
            throw new UserInputException("`find_unused_parameters` with `reentrant=true`: PyTorch takes what is"
                    + " recomputed for unused and then fails; leave out one of them");
        }
        if (parallel.ddp().parametersAsBucketView() && !parallel.ddp().zeroOptimizer()) {
            throw new UserInputException("`parameters_as_bucket_view` is an option of `zero_optimizer`; name both");
        }
        if (run.generation().any() && kind.isTensor()) {
            throw refused("`generate`", "its layers' caches are not divided; take fsdp2, ddp or dp");
        }
        if (run.loop().inference() && (kind.isPipeline() || kind.isDeepSpeed())) {
            throw refused(
                    "`inference`",
                    "its forward passes without backward passes are not modelled; take mp, tp, fsdp2, ddp or dp");
        }
    }

    private void sharding() {
        ParallelKind kind = parallel.kind();
        ShardingOptions given = parallel.sharding();
        ShardingOptions none = ShardingOptions.DEFAULTS;
        belongs(parallel.build() == Parallelism.Build.CUDA || !kind.isReplicated(), "`build=cpu` and meta");
        if (given.wrap() != none.wrap() && !given.wrapModules().isEmpty()) {
            throw new UserInputException("`wrap` and `wrap_modules` both say what is wrapped; leave one out");
        }
        if (kind == ParallelKind.FSDP1) {
            belongs(
                    given.reshardAfterForward() == null && given.outputDtype() == null,
                    "`reshard_after_forward` and `output_dtype`, options of fsdp2,");
            belongs(
                    given.wrapModules().stream().noneMatch(m -> m.contains("+") || m.endsWith(ShardingOptions.KEEP)),
                    "`wrap_modules` with + or " + ShardingOptions.KEEP + ", units of fsdp2,");
            boolean hybrid = given.strategy().isHybrid();
            if (hybrid && parallel.mesh().size() != 2) {
                throw new UserInputException("`strategy=" + given.strategy().option()
                        + "` needs `mesh=RxS`: the same among R ranks, divided among S");
            }
            if (!hybrid && !parallel.mesh().isEmpty()) {
                throw new UserInputException("`mesh` needs `strategy=HYBRID_SHARD` or _HYBRID_SHARD_ZERO2 with fsdp1");
            }
        } else if (kind.isFullySharded()) {
            belongs(
                    given.strategy() == none.strategy()
                            && given.limitAllGathers() == none.limitAllGathers()
                            && given.useOrigParams() == none.useOrigParams()
                            && given.syncModuleStates() == none.syncModuleStates()
                            && given.backwardPrefetch() == none.backwardPrefetch(),
                    "`strategy`, `limit_all_gathers`, `use_orig_params`, `backward_prefetch` and"
                            + " `sync_module_states`, options of fsdp1,");
            if (parallel.mesh().size() > 2 && !kind.isPipeline()) {
                throw new UserInputException("`mesh`: fsdp2 takes S or RxS: the same among R ranks, divided among S");
            }
        }
    }

    private void tensor() {
        if (!parallel.kind().isTensor()) {
            return;
        }
        if (parallel.build() == Parallelism.Build.CPU) {
            throw refused("`build=cpu`", "what no plan shares would stay in host memory; build on cuda or meta");
        }
        if (!parallel.mesh().isEmpty() && !parallel.kind().isPipeline()) {
            throw refused("`mesh`", "its grid is `world` by `tp`");
        }
        if (parallel.tensor().degree() != null && parallel.kind().isPipeline()) {
            throw refused("`tp`", "the last size of `mesh` says it");
        }
        if (parallel.tensor().plan() != null && parallel.tensor().sequenceParallel()) {
            throw new UserInputException(
                    "`sequence_parallel` chooses among the usual plans; with `tp_plan`, the plan says it");
        }
        OptimizerChoice optimizer = run.optimizer();
        boolean decays = optimizer.options().weightDecay() && optimizer.kind() != OptimizerKind.ADAMW;
        if ((parallel.kind() == ParallelKind.TP || parallel.kind() == ParallelKind.PP_TP)
                && (!OF_TENSORS.contains(optimizer.kind())
                        || decays
                        || optimizer.options().maximize())) {
            throw refused(
                    "`optimizer=" + optimizer.kind().option() + "`"
                            + (decays ? " `weight_decay`" : optimizer.options().maximize() ? " `maximize`" : ""),
                    "its arithmetic on DTensors in several layouts is not modelled; take adamw, adam, sgd,"
                            + " sgd-momentum, rmsprop or adagrad without these");
        }
    }

    private void belongs(boolean holds, String what) {
        if (!holds) {
            throw parallel.kind() == ParallelKind.SINGLE
                    ? new UserInputException(what + " need `parallel`")
                    : refused(what, "it has no use for them");
        }
    }

    private UserInputException refused(String what, String reason) {
        return new UserInputException(
                what + " cannot be combined with `parallel=" + parallel.kind().option() + "`: " + reason);
    }

    private void oneProcess() {
        if (!parallel.kind().isOneProcess()) {
            return;
        }
        if (run.loop().inputGrad()) {
            throw refused("`input_grad`", "the gradient of a divided input is not modelled");
        }
        if (Boolean.TRUE.equals(run.checkpointing().reentrant())) {
            throw refused("`reentrant=true`", "PyTorch would run the nodes behind a checkpoint twice; leave it out");
        }
        if (parallel.kind() == ParallelKind.MP && run.precision().amp() == DType.FLOAT16) {
            throw refused("`amp=fp16`", "a GradScaler over several devices is not modelled; take `amp=bf16`");
        }
        PipelineOptions pipeline = parallel.pipeline();
        belongs(
                parallel.kind() != ParallelKind.MP
                        || pipeline.equals(PipelineOptions.DEFAULTS
                                .withMicrobatches(pipeline.microbatches())
                                .withSplit(pipeline.split())),
                "`schedule` and `virtual`");
    }

    private void pipeline() {
        if (!parallel.kind().isPipeline()) {
            return;
        }
        grid();
        if (run.adapters().any() || run.quant().any()) {
            throw refused("`lora` and `quant`", "adapters and quantised weights of stages are not modelled");
        }
        if (run.precision().amp() != null) {
            throw refused("`amp`", "autocast around a schedule is not modelled; take `dtype`");
        }
        if (run.loop().accumulate() > 1) {
            throw refused("`accumulate`", "its microbatches accumulate gradients; take `microbatches`");
        }
        if (run.loop().dropOutputs() || run.loop().inputGrad()) {
            throw refused("`drop_outputs` and `input_grad`", "the schedule has outputs and inputs of its own");
        }
        boolean checkpoints = run.checkpointing().segments() > 0
                || !run.checkpointing().modules().isEmpty();
        if (checkpoints && Boolean.TRUE.equals(run.checkpointing().reentrant())) {
            throw refused("`reentrant=true`", "stages are checkpointed without; leave it out");
        }
        if (parallel.pipeline().microbatches() < 1 || parallel.pipeline().virtualStages() < 1) {
            throw new UserInputException("`microbatches` and `virtual` are at least 1");
        }
    }

    /** Sizes of the grid that a pipeline's stages are spread over. */
    private void grid() {
        ParallelKind kind = parallel.kind();
        if (!kind.isPipelineInGrid()) {
            return;
        }
        boolean three = kind == ParallelKind.PP_FSDP2_TP;
        String sizes = three ? "PxDxT" : kind == ParallelKind.PP_TP ? "PxT" : "PxD";
        if (parallel.mesh().size() != sizes.length() / 2 + 1) {
            throw new UserInputException("`parallel=" + kind.option() + "` needs `mesh=" + sizes
                    + "`: P ranks in a pipeline" + (kind == ParallelKind.PP_TP ? "" : ", D with other data")
                    + (kind.isTensor() ? ", T that share layers" : ""));
        }
        if (kind == ParallelKind.PP_DDP) {
            belongs(
                    !parallel.ddp().staticGraph() && parallel.ddp().compress() == null,
                    "`static_graph`, which fails in a stage's first backward pass, and `compress`");
            belongs(!parallel.ddp().zeroOptimizer(), "`zero_optimizer`");
        }
        if (run.loop().clipGradNorm() != null) {
            throw refused("`clip_grad_norm`", "norms over stages are not modelled; leave it out");
        }
        if (parallel.build() == Parallelism.Build.CPU || parallel.cpuOffload()) {
            throw refused("`build=cpu` and `cpu_offload`", "stages are modelled that are built on cuda or meta");
        }
    }

    private void batch() {
        Long batch = run.sizes().batch();
        if (parallel.kind() == ParallelKind.DP && batch != null && batch < parallel.world()) {
            throw new UserInputException(
                    "`batch=" + batch + "` is split over the devices of `parallel=dp`: it is less than" + " `world="
                            + parallel.world() + "`");
        }
    }
}
