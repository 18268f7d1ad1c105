/**
 * Pipelines of stages in several processes ({@code torch.distributed.pipelining}). {@link
 * dev.headroom.estimator.parallel.pipeline.Pipeline} puts one rank's stages into the loop, a {@code Stage} runs
 * microbatches forward and backward, {@code Peers} sends and receives, and schedules say in which order.
 */
@NullMarked
package dev.headroom.estimator.parallel.pipeline;

import org.jspecify.annotations.NullMarked;
