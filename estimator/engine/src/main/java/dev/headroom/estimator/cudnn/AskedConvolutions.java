package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.cudnn.WorkspaceSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The convolutions whose workspaces a run asked for, and who knew.
 *
 * @param problems different convolutions
 * @param answered how many of them by level of the answer, or as {@link WorkspaceSources#UNKNOWN}
 * @param surest who gave the surest of the answers
 * @param anyWorkspace whether any of them may get a workspace
 * @param anyMore whether the workspace of any of them may be more than what is counted
 */
public record AskedConvolutions(
        Set<ConvolutionProblem> problems,
        Map<String, Integer> answered,
        Optional<WorkspaceSource> surest,
        boolean anyWorkspace,
        boolean anyMore) {
    /** How many rules answered, and not cuDNN: of those only the plan that is taken is known. */
    public int guessed() {
        return answered.getOrDefault(WorkspaceLevel.DISTILLED.label(), 0);
    }

    /** How many nobody knows. */
    public int unknown() {
        return answered.getOrDefault(WorkspaceSources.UNKNOWN, 0);
    }
}
