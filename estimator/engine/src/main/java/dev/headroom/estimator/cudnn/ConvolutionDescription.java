package dev.headroom.estimator.cudnn;

import dev.headroom.model.cudnn.ConvolutionProblem;
import java.util.Optional;

/**
 * What rules know of a convolution, for programs that learn them.
 *
 * @param features that trees compare
 * @param bases bytes of the copies that a workspace may hold
 * @param units bytes that a workspace may hold several times
 */
public record ConvolutionDescription(float[] features, long[] bases, long[] units) {
    /** Describes a problem; empty when it has not two spatial dimensions. */
    public static Optional<ConvolutionDescription> of(ConvolutionProblem problem) {
        return ConvolutionShape.of(problem)
                .map(shape -> new ConvolutionDescription(
                        ConvolutionFeatures.of(shape), WorkspaceTerms.bases(shape), WorkspaceTerms.units(shape)));
    }
}
