package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * What cuDNN plans where a CUDA driver is, as on every machine with a GPU, given what it names without one: products of
 * matrices ({@link MatmulConvolutions}), depthwise convolutions ({@link DepthwiseConvolutions}), sums that are split
 * among the multiprocessors that there are ({@link SumCuts}), and rules that were learned with a driver in place of
 * those learned without.
 *
 * <p>Measured on an H100 and an H200 with cuDNN 9.19 and 9.24, see {@code fixtures/cudnn/README.md}; of other
 * capabilities and older versions nothing is known, and their answers stay as they are.
 */
final class DriverPlans {
    private static final int CAPABILITY = 90;
    private static final long LEAST_ALIGNMENT = 16;

    /** Versions that something was learned from, the newest first. */
    private static final List<CudnnVersion> VERSIONS = List.of(new CudnnVersion(9, 24), new CudnnVersion(9, 19));

    private final Optional<CudnnVersion> version;

    /** Of a run with a version of cuDNN. */
    DriverPlans(CudnnVersion version) {
        this.version = VERSIONS.stream()
                .filter(known -> version.since(known.major(), known.minor()))
                .findFirst();
    }

    /** The answer where there is a driver. */
    WorkspaceAnswer of(ConvolutionProblem problem, CudnnDevice gpu, WorkspaceAnswer driverless) {
        return answer(problem, gpu, driverless, (v, shape) -> bytes(v, problem, shape, driverless));
    }

    /**
     * What a cuDNN plans with a handle that was asked beside a driver without one: told of a GPU, it knows products and
     * depthwise convolutions, but splits sums as if there were few multiprocessors. Where it takes nothing it splits
     * nothing.
     */
    WorkspaceAnswer split(ConvolutionProblem problem, CudnnDevice gpu, WorkspaceAnswer asked) {
        return asked.level() != WorkspaceLevel.ASKED || asked.first() == 0
                ? asked
                : answer(problem, gpu, asked, (v, shape) -> cut(v, problem, shape, Optional.of(asked.first())));
    }

    private WorkspaceAnswer answer(
            ConvolutionProblem problem,
            CudnnDevice gpu,
            WorkspaceAnswer otherwise,
            BiFunction<CudnnVersion, ConvolutionShape, Optional<Long>> rules) {
        boolean known = gpu.major() * 10 + gpu.minor() == CAPABILITY
                && problem.alignment().stream().allMatch(a -> a >= LEAST_ALIGNMENT);
        return version.filter(v -> known)
                .flatMap(v -> ConvolutionShape.of(problem).flatMap(shape -> rules.apply(v, shape)))
                .map(bytes -> WorkspaceAnswer.exact(WorkspaceLevel.DISTILLED, bytes, () -> Stream.concat(
                                Stream.of(bytes), otherwise.all().get().stream())
                        .toList()))
                .orElse(otherwise);
    }

    private static Optional<Long> cut(
            CudnnVersion version, ConvolutionProblem problem, ConvolutionShape shape, Optional<Long> asked) {
        return SumCuts.bytes(CAPABILITY + "-" + version, problem, shape, asked);
    }

    /** A product, a depthwise engine, sums that are split, else what rules say to rules that know of no driver. */
    private static Optional<Long> bytes(
            CudnnVersion version, ConvolutionProblem problem, ConvolutionShape shape, WorkspaceAnswer driverless) {
        Optional<Long> asked =
                driverless.level() == WorkspaceLevel.ASKED ? Optional.of(driverless.first()) : Optional.empty();
        return MatmulConvolutions.bytes(CAPABILITY, version, problem, shape)
                .or(() -> DepthwiseConvolutions.bytes(CAPABILITY, problem, shape))
                .or(() -> cut(version, problem, shape, asked))
                .or(() -> driverless.level() == WorkspaceLevel.DISTILLED
                        ? RuleBook.rest(CAPABILITY, version, problem)
                                .or(() -> RuleBook.rules(CAPABILITY, version, problem))
                                .map(rules -> rules.bytes(problem.direction(), shape))
                        : Optional.empty());
    }
}
