package dev.headroom.model.cudnn;

import java.util.Optional;

/** Knows workspaces of convolutions. */
public interface WorkspaceSource {
    /** How sure its answers are; sources of a surer level are asked first. */
    WorkspaceLevel level();

    /** What it is, for reports: {@code cuDNN 9.24.0} or the version that rules were learned from. */
    String description();

    /**
     * The workspaces of a convolution.
     *
     * @param gpu the device that runs it
     * @return empty when it does not know
     */
    Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu);
}
