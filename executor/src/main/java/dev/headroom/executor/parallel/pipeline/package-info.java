/**
 * Pipelines of torch.distributed.pipelining: each rank has some stages of the model, and microbatches go through all of
 * them. Begin with {@link dev.headroom.executor.parallel.pipeline.PipelineTraining}.
 */
@NullMarked
package dev.headroom.executor.parallel.pipeline;

import org.jspecify.annotations.NullMarked;
