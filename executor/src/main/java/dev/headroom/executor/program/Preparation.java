package dev.headroom.executor.program;

import dev.headroom.model.checkpoint.CheckpointPlan;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.parallel.Parallelism;
import dev.headroom.model.rewrite.InlinedRegions;
import dev.headroom.model.run.Pass;
import dev.headroom.model.run.PreparedRun;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import dev.headroom.model.scenario.TorchVersion;
import dev.headroom.model.scenario.check.ParallelChecks;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Prepares runs for measurement: the shared passes, and those of the executor's own way to run a graph. */
public final class Preparation {
    /** Ways to spread a run that can be run. */
    public static final Set<ParallelKind> KINDS = Collections.unmodifiableSet(
            EnumSet.of(ParallelKind.SINGLE, ParallelKind.DDP, ParallelKind.FSDP2, ParallelKind.PP));

    private static final List<Pass> OWN = List.of(
            new Pass(
                    "put the bodies of higher-order operators in their place",
                    (g, run, symbols) -> InlinedRegions.of(CheckpointPlan.withoutBodies(g))),
            new Pass(
                    "convert where the run's precision needs it",
                    (g, run, symbols) -> Conversions.inPrecision(g, computing(run))),
            new Pass("make literals where the program makes them", (g, run, symbols) -> Literals.onDevice(g)));

    private Preparation() {}

    /**
     * A run that {@link Program} can run.
     *
     * @throws UserInputException as {@link PreparedRun#of}, and for loops that the executor does not have
     */
    public static PreparedRun of(Graph imported, Scenario scenario) {
        if (scenario.kernels().compile()) {
            throw new UserInputException("`compile` is predicted, not measured; leave it out");
        }
        requireKnownLoop(scenario);
        requireOwnType(imported, scenario);
        return PreparedRun.of(imported, scenario, OWN);
    }

    /** The run with the type in which its operators compute, where parameters are kept in another. */
    private static Scenario computing(Scenario run) {
        DType gathered = run.parallel().sharding().paramDtype();
        return gathered == null ? run : run.with(ScenarioSettings.DTYPE, gathered);
    }

    /** Adapters keep float32 beside a model that a run converts: which types meet is not read off the source lines. */
    private static void requireOwnType(Graph imported, Scenario run) {
        DType asked = run.precision().dtype();
        boolean converts = imported.held().tensors().values().stream()
                .filter(held -> held.kind() == Graph.InputKind.PARAMETER)
                .map(held -> held.meta().dtype())
                .anyMatch(type -> type.isFloatingPoint() && asked != null && type != asked);
        if (converts && run.adapters().any()) {
            throw new UserInputException("the executor adapts models in the type that they were exported in; export the"
                    + " model in that type and leave out `dtype`, or predict it");
        }
    }

    private static void requireKnownParallelism(Parallelism parallel) {
        if (!KINDS.contains(parallel.kind())) {
            throw new UserInputException(
                    "a run is executed on one GPU or with `parallel=ddp`, fsdp2 or pp; leave out `parallel="
                            + parallel.kind().option() + "`, or predict it");
        }
        if (parallel.cpuOffload()) {
            throw new UserInputException(
                    "the executor keeps no parameters in host memory; leave out `cpu_offload`," + " or predict it");
        }
        if (parallel.ddp().parametersAsBucketView()) {
            throw new UserInputException("the executor moves no parameters into buckets; leave out"
                    + " `parameters_as_bucket_view`, or predict it");
        }
        if (parallel.events() == Parallelism.Events.LAZY) {
            throw new UserInputException(
                    "the executor's devices keep up with the host; leave out `events=lazy`, or predict it");
        }
    }

    private static void requireKnownLoop(Scenario run) {
        if (!run.torch().equals(TorchVersion.NEWEST)) {
            throw new UserInputException("a run that is executed behaves as PyTorch " + TorchVersion.NEWEST
                    + "; only predictions know other versions");
        }
        ParallelChecks.check(run);
        requireKnownParallelism(run.parallel());
        if (run.loop().clipGradNorm() != null && run.precision().amp() == DType.FLOAT16) {
            throw new UserInputException(
                    "the executor does not clip scaled gradients; leave out `clip_grad_norm`, or take `amp=bf16`");
        }
        if (run.loop().newBatches()
                || run.loop().zeroGradBeforeBackward()
                || run.precision().convertsOnDevice()) {
            throw new UserInputException(
                    "the executor converts models before it moves them, trains on one batch and drops"
                            + " gradients before each step; only predictions know other loops");
        }
    }
}
