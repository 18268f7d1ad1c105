package dev.headroom.estimator.optim;

import dev.headroom.estimator.optim.state.BlockwiseState;
import dev.headroom.estimator.optim.state.OptimizerState;
import dev.headroom.estimator.runtime.EagerRuntime;
import dev.headroom.estimator.runtime.Tensor;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.OptimizerChoice;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the optimizer of a run; the one place to add another. */
public final class Optimizers {
    private Optimizers() {}

    /**
     * The optimizer of a run, as its constructor leaves it.
     *
     * @return {@code null} for a run without optimizer
     * @throws UserInputException for what the constructor of that PyTorch version refuses
     */
    public static @Nullable Optimizer of(Scenario run, EagerRuntime runtime, List<Tensor> parameters) {
        TorchVersion torch = run.torch();
        check(run, run.optimizer(), torch);
        OptimizerState state = new OptimizerState(runtime, parameters, torch);
        int rank = run.optimizer().options().rank();
        return switch (run.optimizer().kind()) {
            case NONE -> null;
            case SGD, SGD_MOMENTUM -> new Sgd(state, run);
            case ADAM, ADAMW -> new Adam(state, run);
            case RMSPROP -> new RmsProp(state, run);
            case ADAGRAD -> new Adagrad(state, run);
            case ADAFACTOR -> new Adafactor(state, run);
            case NADAM -> new NAdam(state, run);
            case RADAM -> new RAdam(state, run);
            case ADAMAX -> new Adamax(state, run);
            case ADADELTA -> new Adadelta(state, run);
            case ASGD -> new Asgd(state, run);
            case RPROP -> new Rprop(state, run);
            case MUON -> new Muon(state);
            case SPARSE_ADAM -> new SparseAdam(state);
            case LBFGS -> new Lbfgs(state, run);
            case HF_ADAFACTOR, GALORE_ADAFACTOR -> new HfAdafactor(state, rank);
            case ADAM_8BIT, ADAMW_8BIT -> blockwise(state, BlockwiseState.TWO.in8bits());
            case ADAM_32BIT, ADAMW_32BIT, ADEMAMIX_32BIT -> blockwise(state, BlockwiseState.TWO);
            case PAGED_ADAM_8BIT, PAGED_ADAMW_8BIT ->
                blockwise(state, BlockwiseState.TWO.in8bits().inPages());
            case PAGED_ADAM_32BIT, PAGED_ADAMW_32BIT, PAGED_ADEMAMIX_32BIT ->
                blockwise(state, BlockwiseState.TWO.inPages());
            case LION_8BIT -> blockwise(state, BlockwiseState.ONE.in8bits());
            case LION_32BIT -> blockwise(state, BlockwiseState.ONE);
            case PAGED_LION_8BIT ->
                blockwise(state, BlockwiseState.ONE.in8bits().inPages());
            case PAGED_LION_32BIT -> blockwise(state, BlockwiseState.ONE.inPages());
            case ADEMAMIX_8BIT -> blockwise(state, BlockwiseState.THREE.in8bits());
            case ADEMAMIX -> blockwise(state, BlockwiseState.THREE);
            case PAGED_ADEMAMIX_8BIT ->
                blockwise(state, BlockwiseState.THREE.in8bits().inPages());
            case PAGED_ADEMAMIX -> blockwise(state, BlockwiseState.THREE.inPages());
            case SGD_8BIT, ADAGRAD_8BIT, RMSPROP_8BIT ->
                blockwise(state, BlockwiseState.ONE.in8bits().withoutBf16());
            case SGD_32BIT, ADAGRAD_32BIT, RMSPROP_32BIT -> blockwise(state, BlockwiseState.ONE.withoutBf16());
            case LARS_32BIT -> blockwise(state, BlockwiseState.ONE.withLimit().withoutBf16());
            case LAMB_32BIT -> blockwise(state, BlockwiseState.TWO.withLimit());
            case AO_ADAM_8BIT, AO_ADAMW_8BIT -> new TorchaoAdam(state, TorchaoAdam.Codes.INT8);
            case AO_ADAM_4BIT, AO_ADAMW_4BIT ->
                new TorchaoAdam(
                        state, run.trainer().loop().isTrainer() ? TorchaoAdam.Codes.INT4_WIDE : TorchaoAdam.Codes.INT4);
            case GALORE_ADAMW -> new LowRankAdam(state, rank, false);
            case APOLLO_ADAMW -> new LowRankAdam(state, rank, true);
            // Its constructor's arguments by position are those of an older bitsandbytes: 100 is the norm's limit.
            case GALORE_ADAMW_8BIT ->
                new Bitsandbytes(state, BlockwiseState.TWO.in8bits().withLimit(), rank);
            case SCHEDULE_FREE_ADAMW, SCHEDULE_FREE_RADAM, SCHEDULE_FREE_SGD ->
                new ScheduleFree(state, run.optimizer().kind());
            case STABLE_ADAMW -> new StableAdamW(state);
            case LOMO, ADALOMO -> new Lomo(state, run.optimizer().kind() == OptimizerKind.ADALOMO);
            case GROKADAMW -> new GrokAdamW(state);
            case AO_ADAM_FP8, AO_ADAMW_FP8 -> new TorchaoAdam(state, TorchaoAdam.Codes.FP8);
        };
    }

    private static Optimizer blockwise(OptimizerState state, BlockwiseState keeps) {
        return new Bitsandbytes(state, keeps, 0);
    }

    /** Whether it works on gradients as they are on one GPU. */
    private static boolean alone(OptimizerKind kind) {
        return kind.projects() || kind == OptimizerKind.LOMO || kind == OptimizerKind.ADALOMO;
    }

    /**
     * Refuses an optimizer that works on gradients as they are on one GPU, where there are several. One whose state is
     * offloaded is never made on a device: who steps in its place asks here.
     *
     * @throws UserInputException for such a run
     */
    public static void checkAlone(OptimizerKind kind, Scenario run) {
        if (alone(kind) && run.parallel().kind() != ParallelKind.SINGLE) {
            throw new UserInputException(
                    "`optimizer=" + kind.option() + "` is modelled on one GPU; leave out `parallel`");
        }
    }

    private static void check(Scenario run, OptimizerChoice chosen, TorchVersion torch) {
        OptimizerKind kind = chosen.kind();
        String name = "`optimizer=" + kind.option() + "`";
        if (torch.compareTo(kind.since()) < 0) {
            throw new UserInputException(
                    name + ": PyTorch " + torch + " has none; name a `torch` from " + kind.since() + " on");
        }
        if (kind == OptimizerKind.NONE) {
            return;
        }
        checkAlone(kind, run);
        if (chosen.fused() && !kind.fusesIn(torch)) {
            throw new UserInputException(
                    "`fused`: PyTorch " + torch + " has no fused CUDA kernel for " + name + "; leave it out");
        }
        if (chosen.fused() && chosen.foreach() == Scenario.Foreach.TRUE) {
            throw new UserInputException("`fused` cannot be combined with `foreach=true`; leave out one of them");
        }
        if (chosen.foreach() == Scenario.Foreach.TRUE && !kind.isOfTorch()) {
            throw new UserInputException(
                    "`foreach=true`: " + kind.constructor() + " has no such argument; leave it out");
        }
        if (chosen.foreach() == Scenario.Foreach.TRUE && !torch.foreachArgument()) {
            throw new UserInputException("`foreach=true`: the optimizers of PyTorch " + torch
                    + " have no such argument; leave it out, or name a `torch` from 1.12 on");
        }
    }
}
