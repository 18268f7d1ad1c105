/**
 * DistributedDataParallel: each rank has the whole model, and gradients are reduced in buckets while the backward pass
 * runs (torch/nn/parallel/distributed.py, torch/csrc/distributed/c10d/reducer.cpp); with
 * {@code ZeroRedundancyOptimizer}, each rank steps some of the parameters.
 * {@link dev.headroom.estimator.parallel.ddp.DistributedDataParallel} is where to begin, and {@code Reducer} has the
 * buckets.
 */
@NullMarked
package dev.headroom.estimator.parallel.ddp;

import org.jspecify.annotations.NullMarked;
