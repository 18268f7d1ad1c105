/**
 * Convolutions through cuDNN's backend interface: {@link Heuristics} names the plans that PyTorch tries, for the GPU of
 * a handle or, from version 9.8 on, for a GPU that need not be there ({@link PlanTarget}); {@link ExecutionPlan} runs
 * one. {@link AskedWorkspaces} answers the estimator's questions and needs neither a GPU nor a driver.
 */
@NullMarked
package dev.headroom.executor.cudnn;

import org.jspecify.annotations.NullMarked;
