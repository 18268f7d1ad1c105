/**
 * Operators, one class a family: what each allocates, saves and computes, forwards and backwards, as PyTorch's does
 * (aten/src/ATen/native, tools/autograd/derivatives.yaml). To add one, write it in its family and name it in the family's
 * {@code register}; to add a family, list it in {@link dev.headroom.executor.op.Operators}.
 */
package dev.headroom.executor.op;
