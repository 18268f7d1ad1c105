/**
 * What every optimizer works with: the tensors that it keeps for a parameter, the variables of its Python function, and
 * the gradients as its step reads them. {@link dev.headroom.estimator.optim.state.OptimizerState} is where to begin.
 */
@NullMarked
package dev.headroom.estimator.optim.state;

import org.jspecify.annotations.NullMarked;
