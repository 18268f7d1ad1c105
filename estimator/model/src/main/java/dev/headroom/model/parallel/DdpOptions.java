package dev.headroom.model.parallel;

import dev.headroom.model.graph.DType;
import dev.headroom.model.record.Withers;
import org.jspecify.annotations.Nullable;

/**
 * Options of DistributedDataParallel.
 *
 * @param bucketCapMb MiB of a gradient bucket; {@code null} for 25, and 1 for the first
 * @param gradientAsBucketView {@code .grad} are views of buckets
 * @param staticGraph the same parameters are used in every step
 * @param findUnusedParameters each forward pass is searched for parameters that it did not use
 * @param compress half type in which a hook sends gradients; {@code null} for none
 * @param zeroOptimizer {@code ZeroRedundancyOptimizer}: each rank steps some parameters
 * @param parametersAsBucketView its parameters are views of buckets
 */
@Withers
public record DdpOptions(
        @Nullable Double bucketCapMb,
        boolean gradientAsBucketView,
        boolean staticGraph,
        boolean findUnusedParameters,
        @Nullable DType compress,
        boolean zeroOptimizer,
        boolean parametersAsBucketView)
        implements DdpOptionsWithers.With {
    public static final DdpOptions DEFAULTS = new DdpOptions(null, false, false, false, null, false, false);
}
