/** Discrete Fourier transforms: the tensors around cuFFT, whose workspaces are not known. */
@NullMarked
package dev.headroom.estimator.op.fft;

import org.jspecify.annotations.NullMarked;
