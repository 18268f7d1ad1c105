/**
 * Stage 3 of ZeRO: each rank has an equal part of each parameter, and modules fetch whole ones when they run
 * (deepspeed/runtime/zero/stage3.py, partition_parameters.py, partitioned_param_coordinator.py). Begin with
 * {@code ShardedStage}.
 */
@NullMarked
package dev.headroom.estimator.parallel.zero.sharded;

import org.jspecify.annotations.NullMarked;
