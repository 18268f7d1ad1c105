/**
 * Discrete Fourier transforms: the tensors around cuFFT, whose workspaces are not known.
 * {@link dev.headroom.estimator.op.fft.FourierRules} names the operators, which are all made of the three transforms in
 * {@code Fourier}.
 */
@NullMarked
package dev.headroom.estimator.op.fft;

import org.jspecify.annotations.NullMarked;
