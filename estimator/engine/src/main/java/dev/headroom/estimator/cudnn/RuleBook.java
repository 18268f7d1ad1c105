package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The rules of all generations of GPUs, each read when it is first asked for. */
final class RuleBook {
    /** Version of cuDNN whose answers the rules were learned from. */
    static final String LEARNED_FROM = "9.24.0";

    /** Compute capabilities with rules, the oldest first. */
    static final List<Integer> CAPABILITIES = List.of(75, 80, 86, 89, 90, 100, 120);

    /** Turing, which has no bfloat16. */
    private static final int OLDEST = 75;

    private static final Map<String, Optional<WorkspaceRules>> READ = new ConcurrentHashMap<>();

    private RuleBook() {}

    /** The rules for a problem on a capability; empty when there are none. */
    static Optional<WorkspaceRules> rules(int capability, ConvolutionProblem problem) {
        boolean refused = capability == OLDEST && problem.type() == DType.BFLOAT16;
        return refused ? Optional.empty() : read(String.valueOf(capability), problem);
    }

    /** The rules for a problem where a driver is, of a version of cuDNN; empty when there are none. */
    static Optional<WorkspaceRules> rules(int capability, CudnnVersion version, ConvolutionProblem problem) {
        return read(capability + "-" + version, problem);
    }

    /** The rules for what engines that split sums do not take, where a driver is; of one group. */
    static Optional<WorkspaceRules> rest(int capability, CudnnVersion version, ConvolutionProblem problem) {
        return problem.groups() > 1 ? Optional.empty() : read("rest/" + capability + "-" + version, problem);
    }

    private static synchronized Optional<WorkspaceRules> read(String generation, ConvolutionProblem problem) {
        return group(problem).flatMap(group -> READ.computeIfAbsent(generation + "-" + group, WorkspaceRules::load));
    }

    /** What every generation's rules say. */
    static List<Long> all(ConvolutionProblem problem, ConvolutionShape shape) {
        List<Long> out = new ArrayList<>();
        for (int capability : CAPABILITIES) {
            rules(capability, problem).ifPresent(r -> out.add(r.bytes(problem.direction(), shape)));
        }
        return out;
    }

    /** The element type and layout of a problem in the names of rules; empty when none are about it. */
    static Optional<String> group(ConvolutionProblem problem) {
        String layout = problem.channelsLast() ? "nhwc" : "nchw";
        return switch (problem.type()) {
            case FLOAT32 -> Optional.of("fp32-" + layout);
            case FLOAT16, BFLOAT16 -> Optional.of("half-" + layout);
            default -> Optional.empty();
        };
    }
}
