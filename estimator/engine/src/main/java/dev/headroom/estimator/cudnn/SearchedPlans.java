package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.CudnnVersion;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import java.util.List;

/**
 * What {@code cudnn.benchmark} ends with in versions of cuDNN whose lists of plans are not at hand: the heuristics'
 * first plan, or one that works on the tensors where they lie, see {@link CudnnVersion#searchKeepsDirectPlans}.
 */
public final class SearchedPlans {
    private SearchedPlans() {}

    /**
     * The plans that matter to a search.
     *
     * @param first what the heuristics of the newest version say
     */
    public static WorkspaceAnswer of(ConvolutionProblem problem, WorkspaceAnswer first, CudnnVersion version) {
        if (!version.searchKeepsDirectPlans()) {
            return first;
        }
        return WorkspaceAnswer.fixed(first.level(), copies(problem) ? first.first() : 0);
    }

    private static boolean copies(ConvolutionProblem p) {
        List<Long> filter = p.w().subList(2, p.w().size());
        boolean point = filter.stream().anyMatch(size -> size == 1);
        boolean narrow = p.groups() > 1 && p.w().get(1) < CudnnVersion.LEAST_GROUP;
        return !p.channelsLast() && !point && !narrow;
    }
}
