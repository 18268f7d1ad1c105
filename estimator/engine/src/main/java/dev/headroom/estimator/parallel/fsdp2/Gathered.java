package dev.headroom.estimator.parallel.fsdp2;

import dev.headroom.estimator.parallel.group.Communicator;
import dev.headroom.estimator.runtime.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * What all ranks brought together (torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py, AllGatherResult).
 *
 * @param output flat, with a reference; {@code null} for a group of one rank
 * @param bytes of each parameter, as one rank brought it
 */
record Gathered(@Nullable Tensor output, long[] bytes, Communicator group) {}
