package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import dev.headroom.model.graph.DType;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Workspaces between bounds. On a compute capability without rules: what the nearest older one's say, between the least
 * and the most of all. Of 3-D convolutions: copies of all three tensors, between nothing and three times that
 * and 4 MiB, which held for nearly all answers of cuDNN that were looked at.
 */
public final class BoundedWorkspaces implements WorkspaceSource {
    private static final long VECTOR = 16;
    private static final long MOST_COPIES = 3;
    private static final long MOST_BESIDE = 4 << 20;

    @Override
    public WorkspaceLevel level() {
        return WorkspaceLevel.BOUNDED;
    }

    @Override
    public String description() {
        return "bounds from rules learned from cuDNN " + RuleBook.LEARNED_FROM;
    }

    @Override
    public Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu) {
        Optional<ConvolutionShape> shape = ConvolutionShape.of(problem);
        return shape.isPresent() ? nearest(problem, shape.get(), gpu) : volume(problem);
    }

    private static Optional<WorkspaceAnswer> nearest(
            ConvolutionProblem problem, ConvolutionShape shape, CudnnDevice gpu) {
        return nearest(problem, gpu.major() * 10 + gpu.minor()).map(rules -> {
            List<Long> all = RuleBook.all(problem, shape);
            long bytes = rules.bytes(problem.direction(), shape);
            return bounded(bytes, Collections.min(all), Collections.max(all));
        });
    }

    /** The rules of the newest capability that is not newer, else of the oldest. */
    private static Optional<WorkspaceRules> nearest(ConvolutionProblem problem, int capability) {
        int oldest = RuleBook.CAPABILITIES.get(0);
        return RuleBook.CAPABILITIES.stream()
                .filter(known -> known <= Math.max(capability, oldest))
                .sorted(Comparator.reverseOrder())
                .flatMap(known -> RuleBook.rules(known, problem).stream())
                .findFirst();
    }

    private static Optional<WorkspaceAnswer> volume(ConvolutionProblem p) {
        if (p.type() != DType.FLOAT32 && p.type() != DType.FLOAT16 && p.type() != DType.BFLOAT16) {
            return Optional.empty();
        }
        long pad = VECTOR / p.type().bytes();
        boolean padded = p.w().get(1) % pad != 0 || p.w().get(0) / p.groups() % pad != 0;
        long copies = bytes(p.x(), p) + bytes(p.w(), p) + bytes(p.y(), p);
        long bytes = p.channelsLast() && !padded ? 0 : copies;
        return Optional.of(bounded(bytes, 0, MOST_COPIES * copies + MOST_BESIDE));
    }

    private static long bytes(List<Long> sizes, ConvolutionProblem p) {
        return sizes.stream().mapToLong(s -> s).reduce(p.type().bytes(), (a, b) -> a * b);
    }

    private static WorkspaceAnswer bounded(long bytes, long least, long most) {
        return new WorkspaceAnswer(
                WorkspaceLevel.BOUNDED, bytes, () -> bytes == 0 ? List.of(0L) : List.of(bytes, 0L), least, most);
    }
}
