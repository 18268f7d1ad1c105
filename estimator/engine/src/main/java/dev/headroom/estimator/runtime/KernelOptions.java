package dev.headroom.estimator.runtime;

import dev.headroom.estimator.cudnn.WorkspaceSources;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import org.jspecify.annotations.Nullable;

/**
 * Settings that operators look at.
 *
 * @param cudnnWorkspace bytes of the workspace of every cuDNN convolution; {@code null}: as {@code convolutions} says
 * @param convolutions what is known of the workspaces of cuDNN convolutions
 * @param attention which kernels of scaled dot product attention may run
 * @param torch version whose operators run
 * @param cudnnBenchmark {@code torch.backends.cudnn.benchmark}
 * @param deterministic {@code torch.use_deterministic_algorithms(True)}
 * @param cudnn version whose choices are modelled
 * @param zeroLinear whether {@code deepspeed.zero.Init} has put a function of its own in the place of {@code
 *     torch.nn.functional.linear}
 * @param stubCudnn whether all but convolutions asks the stub that recordings are made with, not cuDNN itself
 * @param tunesKernels whether Inductor tries kernels when they run for the first time
 */
public record KernelOptions(
        @Nullable Long cudnnWorkspace,
        @Nullable WorkspaceSources convolutions,
        Scenario.Attention attention,
        TorchVersion torch,
        boolean cudnnBenchmark,
        boolean deterministic,
        CudnnVersion cudnn,
        boolean zeroLinear,
        boolean stubCudnn,
        boolean tunesKernels) {
    /** Operators of the newest version, without benchmarks, over a stub where convolutions have the same workspace. */
    public KernelOptions(long cudnnWorkspace, Scenario.Attention attention) {
        this(
                cudnnWorkspace,
                null,
                attention,
                TorchVersion.NEWEST,
                false,
                false,
                CudnnVersion.NEWEST,
                false,
                true,
                false);
    }
}
