package dev.headroom.model.cudnn;

import java.util.Optional;

/** Knows workspaces of convolutions. */
public interface WorkspaceSource {
    /** How sure its answers are; sources of a surer level are asked first. */
    WorkspaceLevel level();

    /** What it is, for reports: {@code cuDNN 9.24.0} or the version that rules were learned from. */
    String description();

    /** Whether it answers as cuDNN does where a CUDA driver is. Without one, cuDNN leaves out engines that need it. */
    default boolean seesDriver() {
        return false;
    }

    /**
     * The workspaces of a convolution.
     *
     * @param gpu the device that runs it
     * @return empty when it does not know
     */
    Optional<WorkspaceAnswer> answer(ConvolutionProblem problem, CudnnDevice gpu);
}
