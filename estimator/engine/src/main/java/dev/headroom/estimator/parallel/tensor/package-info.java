/**
 * Tensor parallelism with DTensor (torch/distributed/tensor). The graph is the whole model's; a rank runs it on the
 * parts that it has.
 *
 * <ul>
 *   <li>{@link dev.headroom.estimator.parallel.tensor.TensorParallel} shares the model when it is wrapped, module by
 *       module as planned: {@code SharedModel} puts parts in the parameters' places, {@code StyledModule} stands around
 *       the module's calls.
 *   <li>There, {@code Conversions} makes DTensors, plain tensors, and other layouts of them, each with its node of
 *       autograd and, from {@code TensorRanks}, its collective.
 *   <li>Rules run on local tensors as they are, with the sizes that {@code LocalSizes} divides; {@code SharedOperators}
 *       knows what comes out of operators, and what DTensor makes beside it.
 * </ul>
 *
 * <p>A tensor that is a part says so itself ({@code runtime.Distribution}), and what has read it says how its gradient
 * comes.
 */
@NullMarked
package dev.headroom.estimator.parallel.tensor;

import org.jspecify.annotations.NullMarked;
