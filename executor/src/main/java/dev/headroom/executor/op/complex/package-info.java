/**
 * Complex numbers and Fourier transforms (aten/src/ATen/native/SpectralOps.cpp). Kernels see complex numbers as two
 * real ones, see {@link dev.headroom.executor.op.basic.ComplexNumbers}; {@code FourierOperators} lists the transforms.
 */
@NullMarked
package dev.headroom.executor.op.complex;

import org.jspecify.annotations.NullMarked;
