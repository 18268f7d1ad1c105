/**
 * Kernels of the project's own. Element-wise ones are generated from each formula
 * ({@link dev.headroom.executor.cuda.kernel.FormulaSource}), the others are CUDA C in the resource files beside this
 * package ({@link dev.headroom.executor.cuda.kernel.KernelFiles}). What they share is how tensors are handed to them
 * ({@link dev.headroom.executor.cuda.kernel.DeviceView}).
 */
@NullMarked
package dev.headroom.executor.cuda.kernel;

import org.jspecify.annotations.NullMarked;
