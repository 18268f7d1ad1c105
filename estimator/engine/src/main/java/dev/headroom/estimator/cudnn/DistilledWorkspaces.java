package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import java.util.List;
import java.util.Optional;

/**
 * Workspaces by rules that were learned from many answers of cuDNN, for the compute capabilities in {@link RuleBook}.
 * How often they are right is in {@code fixtures/cudnn/README.md}. 3-D convolutions and tensors at odd addresses it
 * does not know.
 */
public final class DistilledWorkspaces implements WorkspaceSource {
    private static final long LEAST_ALIGNMENT = 16;

    /** From so many multiprocessors on, cuDNN chooses otherwise on 7.5; the rules are of smaller GPUs. */
    private static final int LARGE_TURING = 59;

    @Override
    public WorkspaceLevel level() {
        return WorkspaceLevel.DISTILLED;
    }

    @Override
    public String description() {
        return "rules learned from cuDNN " + RuleBook.LEARNED_FROM;
    }

    @Override
    public Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu) {
        boolean large = gpu.major() == 7 && gpu.sms() >= LARGE_TURING;
        if (large || problem.alignment().stream().anyMatch(a -> a < LEAST_ALIGNMENT)) {
            return Optional.empty();
        }
        return ConvolutionShape.of(problem).flatMap(shape -> RuleBook.rules(gpu.major() * 10 + gpu.minor(), problem)
                .map(rules -> answer(rules.bytes(problem.direction(), shape))));
    }

    /**
     * When memory is short PyTorch comes to a plan without a workspace in the end: nearly every convolution has one.
     */
    private static WorkspaceAnswer answer(long bytes) {
        return WorkspaceAnswer.exact(
                WorkspaceLevel.DISTILLED, bytes, () -> bytes == 0 ? List.of(0L) : List.of(bytes, 0L));
    }
}
