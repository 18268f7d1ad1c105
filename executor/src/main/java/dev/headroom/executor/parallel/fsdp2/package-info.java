/**
 * Fully sharded data parallelism (torch/distributed/fsdp/_fully_shard): each rank keeps a part of every parameter, and
 * the whole of a unit's only while the unit computes. {@link dev.headroom.executor.parallel.fsdp2.FullyShard} wraps a
 * model, {@link dev.headroom.executor.parallel.fsdp2.ParameterGroup} gathers and reduces for one unit.
 */
@NullMarked
package dev.headroom.executor.parallel.fsdp2;

import org.jspecify.annotations.NullMarked;
