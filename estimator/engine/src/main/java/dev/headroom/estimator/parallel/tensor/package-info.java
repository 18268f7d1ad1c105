/**
 * Tensor parallelism with DTensor (torch/distributed/tensor). The graph is the whole model's; a rank runs it on the
 * parts that it has.
 *
 * <ul>
 *   <li>{@code TensorParallel} shares the model when it is wrapped, module by module as planned: {@code SharedModel}
 *       puts parts in the parameters' places, {@code StyledModule} stands around the module's calls.
 *   <li>There, {@code Conversions} makes DTensors, plain tensors, and other layouts of them, each with its node of
 *       autograd; {@code TensorRanks} has the collectives behind it and their temporaries.
 *   <li>Rules run on local tensors as they are. {@code LocalSizes} divides sizes that the graph names, where what goes
 *       in is a part; {@code SharedOperators} knows what comes out of operators, and what DTensor makes beside it.
 * </ul>
 *
 * A tensor that is a part says so itself ({@code runtime.Distribution}), and what has read it says how its gradient
 * comes. The loss on divided logits is an operator of its own ({@code op.loss.ShardedCrossEntropy}); optimizers make
 * copies of gradients that are laid out otherwise than their parameters ({@code optim.OptimizerState}).
 */
package dev.headroom.estimator.parallel.tensor;
