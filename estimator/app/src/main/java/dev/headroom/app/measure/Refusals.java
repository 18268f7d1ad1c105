package dev.headroom.app.measure;

import dev.headroom.executor.measure.BackendProvider;
import dev.headroom.executor.measure.Measurer;
import dev.headroom.model.device.Gpu;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.parallel.ParallelKind;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.Locale;

/** Refuses options that a prediction can honour and a run cannot. */
final class Refusals {
    private Refusals() {}

    /** @throws UserInputException for the first of them, in one line */
    static void check(Scenario run, BackendProvider provider) {
        if (!run.torch().equals(TorchVersion.NEWEST)) {
            refuse("--torch " + run.torch(), "runs behave as PyTorch " + TorchVersion.NEWEST + " does; leave it out");
        }
        if (run.kernels().cudnnWorkspace().bytes() != null
                && run.kernels().cudnnWorkspace().bytes() > 0) {
            refuse("--cudnn-workspace", "cuDNN's workspaces are measured; leave it out, or say none without a GPU");
        }
        if (!provider.isDevice() && run.kernels().cudnnWorkspace().source() != Scenario.Workspaces.AUTO) {
            refuse(
                    "--cudnn-workspace "
                            + run.kernels().cudnnWorkspace().source().name().toLowerCase(Locale.ROOT),
                    "the " + provider.name() + " backend has no cuDNN; leave it out");
        }
        if (run.kernels().channelsLast3d()) {
            refuse("--channels-last-3d", "the executor turns images alone; predict it");
        }
        if (run.kernels().deterministic()) {
            refuse("--deterministic", "the executor has one algorithm for each operator; leave it out");
        }
        if (run.kernels().cudnnBenchmark()) {
            refuse("--cudnn-benchmark", "algorithms are not timed; leave it out");
        }
        if (run.feeding().any()) {
            refuse("a loader", "one batch serves all steps; leave out its options, or predict it");
        }
        if (run.loop().clipGradValue() != null) {
            refuse("--clip-grad-value", "the executor clips by norm alone");
        }
        if (!run.optimizer().groups().isEmpty()) {
            refuse("--param-group", "the executor steps all parameters as one group; leave it out, or predict it");
        }
        if (run.trainer().evalBatch() != null) {
            refuse("--eval-batch", "runs are measured without evaluation");
        }
        if (run.kernels().cudnn() != null) {
            refuse("--cudnn", "cuDNN is what it is; leave it out");
        }
        if (run.loop().loss() == LossKind.BCE || run.loop().loss() == LossKind.LABEL_SMOOTHING) {
            refuse("--loss " + run.loop().loss().name().toLowerCase(Locale.ROOT), "the executor has no such loss");
        }
        if (provider.computes() && !provider.isDevice() && run.allocConf().contains("expandable_segments:True")) {
            refuse(
                    "--alloc-conf expandable_segments:True",
                    "the " + provider.name() + " backend has no virtual memory management; take --backend none");
        }
        ParallelKind kind = run.parallel().kind();
        if (!Measurer.KINDS.contains(kind)) {
            refuse(
                    "--parallel " + kind.option(),
                    "runs are on one GPU, or with --parallel ddp, fsdp2 or pp; predict it");
        }
        if (kind != ParallelKind.SINGLE && provider.isDevice()) {
            refuse(
                    "--parallel " + kind.option(),
                    "the " + provider.name() + " backend has one device; take --backend host or none");
        }
        if (provider.isDevice()) {
            String is =
                    "the " + provider.name() + " backend's device is what it is; leave it out, or take --limit SIZE";
            Gpu named = run.device().gpu();
            boolean another = named != null
                    && provider.card()
                            .filter(card -> card.name().equals(named.name()))
                            .isEmpty();
            refuseIf(another, "--gpu", is);
            refuseIf(run.device().memory() != null, "--memory", is);
            refuseIf(run.device().inUse() > 0, "--in-use", is);
        }
    }

    private static void refuseIf(boolean given, String option, String why) {
        if (given) {
            refuse(option, why);
        }
    }

    private static void refuse(String option, String why) {
        throw new UserInputException(option + " cannot be measured: " + why);
    }
}
