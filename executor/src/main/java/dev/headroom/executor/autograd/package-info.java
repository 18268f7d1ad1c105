/**
 * The tape: nodes with what they saved, and the backward pass over them, after torch/csrc/autograd. Tensors are saved
 * as the operator's backward function needs them, let go when it has run, and gradients are summed in place or stolen
 * under the same conditions as in PyTorch.
 */
@NullMarked
package dev.headroom.executor.autograd;

import org.jspecify.annotations.NullMarked;
