package dev.headroom.estimator.parallel.ddp;

import dev.headroom.allocator.Bytes;
import dev.headroom.estimator.parallel.layout.Buckets;
import dev.headroom.model.parallel.DdpOptions;

/**
 * How large buckets grow, in bytes: limits of the first, the second, and all further ones
 * (torch/nn/parallel/distributed.py, compute_bucket_size_limits).
 *
 * @param first of the buckets that are made with the wrapper; one takes all, unless unused parameters are looked for
 * @param rebuilt of those that are made in the order of arrival
 */
record BucketLimits(long[] first, long[] rebuilt) {
    private static final long FIRST = Bytes.MIB;
    private static final long OTHERS = 25 * Bytes.MIB;

    static BucketLimits of(DdpOptions options) {
        Double mib = options.bucketCapMb();
        long[] limits = mib == null ? new long[] {FIRST, OTHERS} : new long[] {(long) (mib * Bytes.MIB)};
        return new BucketLimits(options.findUnusedParameters() ? limits : new long[] {Buckets.UNLIMITED}, limits);
    }
}
