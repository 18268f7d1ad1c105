/**
 * DistributedDataParallel: each rank has the whole model, and gradients are reduced in buckets while the backward pass
 * runs (torch/nn/parallel/distributed.py, torch/csrc/distributed/c10d/reducer.cpp); with
 * {@code ZeroRedundancyOptimizer}, each rank steps some of the parameters.
 */
package dev.headroom.estimator.parallel.ddp;
