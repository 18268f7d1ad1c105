package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.graph.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

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
    static synchronized Optional<WorkspaceRules> rules(int capability, ConvolutionProblem problem) {
        String type = type(problem.type());
        boolean refused = capability == OLDEST && problem.type() == DType.BFLOAT16;
        if (type == null || refused) {
            return Optional.empty();
        }
        String layout = problem.channelsLast() ? "nhwc" : "nchw";
        return READ.computeIfAbsent(capability + type + layout, key -> WorkspaceRules.load(capability, type, layout));
    }

    /** What every generation's rules say. */
    static List<Long> all(ConvolutionProblem problem, ConvolutionShape shape) {
        List<Long> out = new ArrayList<>();
        for (int capability : CAPABILITIES) {
            rules(capability, problem).ifPresent(r -> out.add(r.bytes(problem.direction(), shape)));
        }
        return out;
    }

    private static @Nullable String type(DType type) {
        return switch (type) {
            case FLOAT32 -> "fp32";
            case FLOAT16, BFLOAT16 -> "half";
            default -> null;
        };
    }
}
