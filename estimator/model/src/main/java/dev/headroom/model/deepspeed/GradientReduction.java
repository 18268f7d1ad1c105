package dev.headroom.model.deepspeed;

import org.jspecify.annotations.Nullable;

/**
 * How gradients are reduced among ranks (deepspeed/runtime/zero/config.py).
 *
 * @param bucketElements of {@code reduce_bucket_size}
 * @param contiguous gradients are copied into a bucket as they come
 * @param scatters reduced gradients are kept by those whose part they are; else all ranks reduce whole buckets
 * @param manyRanks parts of several ranks are reduced together
 * @param roundRobin parameters are dealt out in turns before they are made one
 * @param overlaps beside the backward pass, on a stream of its own; {@code null} for the library's choice
 */
public record GradientReduction(
        long bucketElements,
        boolean contiguous,
        boolean scatters,
        boolean manyRanks,
        boolean roundRobin,
        @Nullable Boolean overlaps) {
    private static final long BUCKET = 500_000_000;

    static GradientReduction read(ConfigSection zero) {
        return new GradientReduction(
                zero.count(BUCKET, "reduce_bucket_size"),
                zero.flag("contiguous_gradients", true),
                zero.flag("reduce_scatter", true),
                zero.flag("use_multi_rank_bucket_allreduce", true),
                zero.flag("round_robin_gradients", false),
                zero.flag("overlap_comm").orElse(null));
    }
}
