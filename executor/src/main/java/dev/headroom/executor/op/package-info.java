/**
 * The list of all operators. Each family has a package of its own below this one and says what its operators allocate,
 * save and compute, forwards and backwards, as PyTorch's do (aten/src/ATen/native, tools/autograd/derivatives.yaml). To
 * add an operator, write it in its family and name it in the family's {@code register}; to add a family, list it in
 * {@link dev.headroom.executor.op.StandardOperators}.
 */
@NullMarked
package dev.headroom.executor.op;

import org.jspecify.annotations.NullMarked;
