package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import java.util.List;

/**
 * What versions of cuDNN whose lists of plans are not at hand choose: the newest version's first plan, or one that
 * works on the tensors where they lie, see {@link CudnnVersion#keepsDirectPlans}.
 */
public final class OlderPlans {
    private OlderPlans() {}

    /**
     * The plans that matter.
     *
     * @param newest what the heuristics of the newest version say
     * @param searched whether {@code cudnn.benchmark} chooses the fastest; it ends with one plan
     */
    public static WorkspaceAnswer of(
            ConvolutionProblem problem, WorkspaceAnswer newest, CudnnVersion version, boolean searched) {
        if (!version.keepsDirectPlans()) {
            return newest;
        }
        if (direct(problem, searched)) {
            return WorkspaceAnswer.fixed(newest.level(), 0);
        }
        return searched ? WorkspaceAnswer.fixed(newest.level(), newest.first()) : newest;
    }

    private static boolean direct(ConvolutionProblem p, boolean searched) {
        if (p.channelsLast()) {
            return searched;
        }
        List<Long> filter = p.w().subList(2, p.w().size());
        boolean point = filter.stream().anyMatch(size -> size == 1);
        boolean narrow = p.groups() > 1 && p.w().get(1) < CudnnVersion.LEAST_GROUP;
        return point || narrow;
    }
}
