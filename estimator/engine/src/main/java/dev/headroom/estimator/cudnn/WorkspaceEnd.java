package dev.headroom.estimator.cudnn;

/**
 * Which of the possible workspaces convolutions get. What a GPU takes is cuDNN's choice, by heuristics that differ
 * between its versions; a plan without a workspace nearly always exists.
 */
public enum WorkspaceEnd {
    /** None at all. */
    NONE,
    /** That of the plan that PyTorch tries first, as far as it is known. */
    FIRST,
    /** The most that it may be. */
    MOST
}
