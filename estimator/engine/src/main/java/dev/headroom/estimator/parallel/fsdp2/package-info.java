/**
 * FullyShardedDataParallel of the second kind, {@code fully_shard} (torch/distributed/fsdp/_fully_shard). Each
 * parameter is divided among ranks by its first dimension; a unit's parameters are gathered before its module runs,
 * freed after it, and its gradients are reduced together. Begin with {@link
 * dev.headroom.estimator.parallel.fsdp2.FullyShard}.
 */
@NullMarked
package dev.headroom.estimator.parallel.fsdp2;

import org.jspecify.annotations.NullMarked;
