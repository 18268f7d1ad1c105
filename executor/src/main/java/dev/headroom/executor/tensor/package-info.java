/**
 * Tensors over real memory: layouts, reference-counted storages, the scopes that local variables live in, and the log
 * of who holds how much. {@link dev.headroom.executor.tensor.TensorMemory} is the only place that takes memory from
 * the allocator or gives it back. The package knows nothing of kernels and of autograd: what autograd attaches to a
 * tensor is an interface here ({@link dev.headroom.executor.tensor.GradientNode}, {@link
 * dev.headroom.executor.tensor.TensorHistory}).
 */
@NullMarked
package dev.headroom.executor.tensor;

import org.jspecify.annotations.NullMarked;
