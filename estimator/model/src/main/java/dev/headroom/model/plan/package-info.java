/**
 * Plans of tensor parallelism: which modules are shared among ranks, and how, in the words of PyTorch's
 * {@code parallelize_module} (torch/distributed/tensor/parallel). {@link dev.headroom.model.plan.TensorPlan} is a plan
 * as it is written, {@link dev.headroom.model.plan.UsualPlans} has those of architectures that everybody divides alike,
 * and {@link dev.headroom.model.plan.PlannedModule} is what a plan says of one module.
 */
@NullMarked
package dev.headroom.model.plan;

import org.jspecify.annotations.NullMarked;
